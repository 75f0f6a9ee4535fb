package wire

import "hash/crc32"

// wrapper reads what is around a DEFLATE stream.
func (d *inflater) wrapper() error {
	switch d.state {
	case atWrapper:
		if d.wrap == wrapDeflate {
			return d.zlibHeader()
		}
		if !d.need(32) {
			return errMoreInput
		}
		if v := d.drop(32); v&0xffffff != 0x088b1f {
			return errWrapper
		} else {
			d.flags = byte(v >> 24)
		}
		d.crc, d.length = 0, 0
		d.state = atGzipTime
	case atGzipTime:
		if !d.need(48) {
			return errMoreInput
		}
		d.drop(24)
		d.drop(24)
		d.state = atGzipExtraLen
	case atGzipExtraLen:
		d.extra = 0
		if d.flags&4 != 0 {
			if !d.need(16) {
				return errMoreInput
			}
			d.extra = int(d.drop(16))
		}
		d.state = atGzipExtra
	case atGzipExtra:
		for d.extra > 0 {
			if !d.need(8) {
				return errMoreInput
			}
			d.drop(8)
			d.extra--
		}
		d.state = atGzipName
	case atGzipName, atGzipComment:
		flag := byte(8)
		if d.state == atGzipComment {
			flag = 16
		}
		for d.flags&flag != 0 {
			if !d.need(8) {
				return errMoreInput
			}
			if d.drop(8) == 0 {
				break
			}
		}
		d.state++
	case atGzipCRC:
		if d.flags&2 != 0 {
			if !d.need(16) {
				return errMoreInput
			}
			d.drop(16)
		}
		d.state = atBlock
	default:
		return d.trailer()
	}
	return nil
}

// zlibHeader tells zlib from bare DEFLATE, which many servers send under the
// same name (RFC 9110 section 8.4.1.2 says zlib).
func (d *inflater) zlibHeader() error {
	if !d.need(16) {
		return errMoreInput
	}
	cmf, flg := d.bits&0xff, d.bits>>8&0xff
	d.state = atBlock
	d.adler = 1
	d.flags = 0
	if cmf&0x0f == 8 && cmf>>4 <= 7 && (cmf<<8|flg)%31 == 0 && flg&0x20 == 0 {
		d.drop(16)
		d.flags = 1
	}
	return nil
}

func (d *inflater) trailer() error {
	switch d.state {
	case atZlibTrailer:
		if d.flags == 0 {
			d.state = atEnd
			return nil
		}
		if !d.need(32) {
			return errMoreInput
		}
		v := d.drop(32)
		v = v>>24 | v>>8&0xff00 | v<<8&0xff0000 | v<<24
		if v != adlerUpdate(d.adler, d.out) {
			return errChecksum
		}
		d.state = atEnd
	case atTrailer:
		if !d.need(32) {
			return errMoreInput
		}
		if d.drop(32) != crc32.Update(d.crc, crc32.IEEETable, d.out) {
			return errChecksum
		}
		d.state = atTrailer2
	case atTrailer2:
		if !d.need(32) {
			return errMoreInput
		}
		if d.drop(32) != d.length+uint32(len(d.out)) {
			return errChecksum
		}
		d.member++
		d.state = atNextMember
	case atNextMember:
		// A gzip file may be a row of members; anything else behind it is padding.
		if !d.need(16) {
			return errMoreInput
		}
		if d.bits&0xffff != 0x8b1f {
			d.state = atEnd
			return nil
		}
		// The checksum of the next member starts anew: what is out must leave first.
		if len(d.out) > 0 {
			return errFlush
		}
		d.hist = d.hist[:0]
		d.state = atWrapper
	}
	return nil
}

// whole reports whether the stream may end here.
func (d *inflater) whole() bool {
	switch d.state {
	case atEnd, atNextMember:
		return true
	case atWrapper:
		return d.nbits == 0 && d.member == 0
	}
	return false
}

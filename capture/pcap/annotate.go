package pcap

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"
)

// Remark is what is to be said of an exchange that a Writer has written.
type Remark struct {
	Client, Server netip.AddrPort // as in its link; without a Server any will do
	At             time.Time      // when it began
	End            bool           // it is of a connection without exchanges, which ended then
	Comments       []string
}

// Annotate copies a file that a Writer has written and adds each remark to the
// packet with which its exchange begins, or its connection ends. Remarks whose
// packet is not there are left out.
func Annotate(to io.Writer, from io.Reader, remarks []Remark) error {
	todo := map[netip.AddrPort][]*Remark{} // by client, in the order of time
	for i := range remarks {
		r := &remarks[i]
		if client := plainAddr(r.Client); client.IsValid() && len(r.Comments) > 0 {
			todo[client] = append(todo[client], r)
		}
	}
	for _, list := range todo {
		slices.SortStableFunc(list, func(a, b *Remark) int { return a.At.Compare(b.At) })
	}
	in, out := bufio.NewReaderSize(from, 1<<20), bufio.NewWriterSize(to, 1<<20)
	var block []byte
	var head [8]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err == io.EOF {
			return out.Flush()
		} else if err != nil {
			return err
		}
		size := int(binary.LittleEndian.Uint32(head[4:]))
		if size < 12 || size > maxBlock || size%4 != 0 {
			return fmt.Errorf("a block of %d bytes, which the writer does not make", size)
		}
		block = append(slices.Grow(block[:0], size), head[:]...)[:size]
		if _, err := io.ReadFull(in, block[8:]); err != nil {
			return errors.Join(err, out.Flush())
		}
		if binary.LittleEndian.Uint32(head[:]) == blockEnhanced && len(todo) > 0 {
			if comments := due(todo, block[8:size-4]); comments != nil {
				block = withComments(block, comments)
			}
		}
		if _, err := out.Write(block); err != nil {
			return err
		}
	}
}

// due takes the comments that belong to a packet out of the list: those of the
// exchanges of its client that have begun by then, or of its connection that ends.
func due(todo map[netip.AddrPort][]*Remark, body []byte) (comments []string) {
	var s segment
	if !plain(linkEthernet, body[20:], &s) {
		return nil
	}
	from, to := s.src.port(s.sport), s.dst.port(s.dport)
	le := binary.LittleEndian
	at := time.Unix(0, int64(uint64(le.Uint32(body[4:]))<<32|uint64(le.Uint32(body[8:]))))
	if len(s.data) > 0 {
		comments = take(todo, from, to, at, false)
	}
	if s.flags&(flagFIN|flagRST) != 0 {
		comments = append(comments, take(todo, from, to, at, true)...)
		comments = append(comments, take(todo, to, from, at, true)...)
	}
	return comments
}

func take(todo map[netip.AddrPort][]*Remark, client, server netip.AddrPort, at time.Time, end bool) (comments []string) {
	list := todo[client]
	if len(list) == 0 {
		return nil
	}
	rest := list[:0]
	for _, r := range list {
		if r.End != end || r.At.After(at) || r.Server.IsValid() && plainAddr(r.Server) != server {
			rest = append(rest, r)
			continue
		}
		comments = append(comments, r.Comments...)
	}
	todo[client] = rest
	return comments
}

// plainAddr is an address as it is in packets.
func plainAddr(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// withComments adds comments behind those the block has.
func withComments(block []byte, comments []string) []byte {
	le := binary.LittleEndian
	end := len(block) - 4
	b := slices.Clone(block[:end])
	captured := int(le.Uint32(block[20:]))
	if data := 28 + (captured+3)&^3; len(b) >= data+4 {
		b = b[:len(b)-4] // opt_endofopt
	}
	for _, c := range comments {
		b = option(b, 1, []byte(clip(c)))
	}
	b = append(b, 0, 0, 0, 0)
	size := uint32(len(b) + 4)
	le.PutUint32(b[4:], size)
	return le.AppendUint32(b, size)
}

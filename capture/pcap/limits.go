package pcap

import "time"

// Every cap of the package, with its reason.
const (
	// maxPacket bounds one captured packet. Capture programs cut at 256 KiB;
	// merged segments of virtual machines stay below 1 MiB. Beyond this a
	// length field is damaged.
	maxPacket = 16 << 20

	// maxBlock bounds one pcapng block, which may also hold names or secrets.
	maxBlock = 64 << 20

	// maxInterfaces bounds the interfaces of one pcapng section.
	maxInterfaces = 1 << 16

	// maxMarks bounds the comments of one packet that are read back.
	maxMarks = 64 << 10

	// maxSecrets bounds the decryption secrets kept from a file.
	maxSecrets = 16 << 20

	// slabSize is what a stream is read into at once: large enough to keep
	// reads few, small enough that a kept chunk does not pin much.
	slabSize = 256 << 10

	// A batch goes to the sink when it has this many chunks or bytes.
	batchChunks = 512
	batchBytes  = 1 << 20

	// tickPackets is how often connections that hold segments and receive no
	// more packets are looked at.
	tickPackets = 256

	// progressBytes is how often the sink hears how far the file is read.
	progressBytes = 4 << 20

	// maxHeldHalf and maxHeldTotal bound the segments that wait for a hole to
	// be filled: per half about one large TCP window, in total what a
	// developer's machine can spare.
	maxHeldHalf  = 4 << 20
	maxHeldTotal = 256 << 20

	// heldOverhead is added to each held segment, so that a flood of tiny
	// segments is bounded too.
	heldOverhead = 128

	// maxHeldPieces bounds the sorted list of one half.
	maxHeldPieces = 8192

	// tickAfter is how much capture time passes between two looks at the
	// connections that hold segments.
	tickAfter = 50 * time.Millisecond

	// A hole that the receiver has acknowledged was lost by the capture
	// program, not by the network. It may still be filled by a packet recorded
	// late, but hardly after lostAfter or once lostHeld bytes wait behind it.
	lostAfter = 200 * time.Millisecond
	lostHeld  = 64 << 10

	// lostAnyway gives up a hole nobody has acknowledged: in a capture of one
	// direction no acknowledgement ever comes.
	lostAnyway = 5 * time.Second

	// maxJump is the largest window TCP allows (RFC 7323 section 2.3). A
	// sequence number further away does not belong to this connection.
	maxJump = 1 << 30

	// maxConns bounds the open connections; beyond it the longest idle ones
	// are closed.
	maxConns = 1 << 20

	// maxClosed bounds the ended connections that are remembered so that late
	// packets are not taken for a new connection; rememberClosed is how long
	// payload on such a connection counts as late.
	maxClosed      = 1 << 16
	rememberClosed = 60 * time.Second

	// maxListeners bounds the server addresses remembered to tell the sides of
	// connections whose start was not captured.
	maxListeners = 1 << 16

	// IP fragments: datagrams in work, bytes in work, and how long the first
	// fragment waits for the last one (RFC 8200 section 4.5 says 60 s).
	// fragmentRepeat is how long a second copy of a finished one may come;
	// after it the same identification is another packet.
	maxDatagrams     = 4096
	maxFragmentBytes = 16 << 20
	maxParts         = 64
	fragmentTimeout  = 60 * time.Second
	fragmentRepeat   = time.Second
)

// Package status is the last line of the screen: what was found, what is being
// read, and whether the list follows.
//
//	errors 2  warnings 0  infos 1  3/570  PAUSED +37  trace.pcap 62%      ? help  q quit
//
// Invariant: the counts are never pushed out by anything else.
// Start reading at status.go.
package status

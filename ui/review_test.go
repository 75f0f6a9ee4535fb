package ui_test

import (
	"strings"
	"testing"

	"a2ascope/ui/uitest"
)

func reviewed(t *testing.T, name string, keys ...string) (*uitest.Driver, *uitest.Store) {
	t.Helper()
	s := &uitest.Store{V: uitest.Sessions[name]()}
	d := uitest.Drive(s, uitest.Options())
	d.Size(140, 40)
	d.Press(append([]string{"R"}, keys...)...)
	return d, s
}

func onScreen(t *testing.T, d *uitest.Driver, what, want string) {
	t.Helper()
	if !strings.Contains(d.Plain(), want) {
		t.Errorf("%s: %q is not on the screen\n%s", what, want, d.Plain())
	}
}

// What is copied can be pasted into a shell: the agent's own addresses, one
// command a line.
func TestReviewCopiesCommands(t *testing.T) {
	d, _ := reviewed(t, "review", "2", "j", "c")
	for _, want := range []string{"http://agent.test/rpc\n", "http://agent.test/rest/tasks/nope\n", "curl -sS -H 'A2A-Version: 1.0'"} {
		if !strings.Contains(d.Clip, want) {
			t.Errorf("%q is not in what was copied:\n%s", want, d.Clip)
		}
	}
	if strings.Contains(d.Clip, "grpcurl") {
		t.Errorf("the card lists no gRPC:\n%s", d.Clip)
	}
	d, _ = reviewed(t, "review", "3", "G", "c")
	onScreen(t, d, "an item of the client", "there is no command for this")
}

// A secret in an address of the card stays on the machine.
func TestReviewMasksAddresses(t *testing.T) {
	const secret = "s3cr3t-0123456789"
	v := uitest.Reviewed(strings.ReplaceAll(uitest.Asked, "http://agent.test/rpc", "http://agent.test/rpc?access_token="+secret))
	d := uitest.Drive(&uitest.Store{V: v}, uitest.Options())
	d.Size(200, 60)
	d.Press("R", "2", "j")
	onScreen(t, d, "the command", "access_token=")
	if strings.Contains(d.Plain(), secret) {
		t.Errorf("the screen shows %s", secret)
	}
	d.Press(":")
	d.Type("set secrets on")
	d.Press("enter")
	onScreen(t, d, "secrets were asked for", secret)
	d.Press("c")
	if d.Clip == "" || strings.Contains(d.Clip, secret) {
		t.Errorf("copied: %q", d.Clip)
	}
}

// Enter leads to the exchange that shows an answer, and esc back to the answer.
func TestReviewLeadsToExchanges(t *testing.T) {
	d, _ := reviewed(t, "review-more", "enter")
	onScreen(t, d, "the failed step", "» #2  GetTask")
	d.Press("esc")
	onScreen(t, d, "back", "[1 Ladder]")
	onScreen(t, d, "what was chosen", ">   ✗ 2 ")
	d.Press("enter", "esc", "esc") // the second leaves the review
	if strings.Contains(d.Plain(), "[1 Ladder]") {
		t.Error("esc does not leave the review")
	}
	d.Press("enter", "esc")
	if strings.Contains(d.Plain(), "[1 Ladder]") {
		t.Error("esc leads to the review though the exchange was opened in the list")
	}
	d, _ = reviewed(t, "review-more", "3", "j", "j", "j", "j", "enter")
	onScreen(t, d, "an item that is not seen", "not seen: no exchange shows it")
}

// Views that come meanwhile change answers, and not what is chosen.
func TestReviewStaysWhereItWas(t *testing.T) {
	d, s := reviewed(t, "review", "3", "j", "j", "j", "j")
	onScreen(t, d, "chosen", ">   · C5 ")
	d.Feed(s, uitest.Sessions["review-more"]())
	onScreen(t, d, "after more traffic", ">   · C5 ")
	onScreen(t, d, "after more traffic", "go-client/2.0")
	d.Press("1", "3")
	onScreen(t, d, "back from another part", ">   · C5 ")
}

func TestReviewMouse(t *testing.T) {
	d, _ := reviewed(t, "review")
	d.Click(16, 0)
	onScreen(t, d, "a click on the second part", "[2 Coverage]")
	d.Click(10, 4)
	onScreen(t, d, "a click on the third question", ">   ✓ I3 ")
	d.Click(80, 1)
	onScreen(t, d, "a click into the answer", "keys move here")
	d.Click(3, 1)
	onScreen(t, d, "a click on the subject", "> - agent agent.test")
}

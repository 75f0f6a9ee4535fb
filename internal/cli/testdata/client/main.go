// Command client makes one A2A 0.3 call to the address it is given.
package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}}`
	resp, err := http.Post(os.Args[1], "application/json", strings.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	resp.Body.Close()
}

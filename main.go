// Command a2ascope shows why two A2A agents do not understand each other.
package main

import (
	"os"

	"a2ascope/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.System()))
}

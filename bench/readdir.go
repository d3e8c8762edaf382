// readdir - the names of a directory, sorted, as Go programs list one.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	entries, err := os.ReadDir(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	for _, entry := range entries {
		out.WriteString(entry.Name())
		out.WriteByte('\n')
	}
	if out.Flush() != nil {
		os.Exit(1)
	}
}

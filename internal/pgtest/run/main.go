// Command run starts a throw-away PostgreSQL, runs a command with PARLEY_TEST_DATABASE_URL naming it, and ends with
// the command's exit code: one server for all packages of a test run instead of one for each.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/parleyhq/parley/internal/pgtest"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: run [--check] -- command [argument...]")
		flag.PrintDefaults()
	}
	check := flag.Bool("check", false, "only report whether a PostgreSQL server and PgBouncer can be had")
	flag.Parse()

	var code int
	var err error
	switch {
	case *check:
		err = report()
	case flag.NArg() == 0:
		flag.Usage()
		code = 2
	default:
		code, err = runWithServer(flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func report() error {
	bouncer, bouncerErr := pgtest.FindBouncer()
	if os.Getenv(pgtest.EnvURL) != "" {
		fmt.Println("PostgreSQL: the server named by", pgtest.EnvURL)
	} else if bin, err := pgtest.FindBinaries(); err != nil {
		return errors.Join(err, bouncerErr)
	} else {
		fmt.Println("PostgreSQL:", bin)
	}
	if bouncerErr != nil {
		return bouncerErr
	}
	fmt.Println("PgBouncer:", bouncer)
	return nil
}

// runWithServer leaves a server named by the environment in place and starts one otherwise.
func runWithServer(args []string) (code int, err error) {
	// Caught from here on, so that no signal can end this process and leave the command running. One that arrives
	// while the server starts waits in the channel for the command.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	env := os.Environ()
	if os.Getenv(pgtest.EnvURL) == "" {
		server, startErr := pgtest.Start(context.Background())
		if startErr != nil {
			return 0, startErr
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		env = append(env, pgtest.EnvURL+"="+server.URL)
	}
	return runCommand(args, env, signals)
}

func runCommand(args, env []string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, env
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // fails only when the command has ended
		case err := <-ended:
			return exitCode(err)
		}
	}
}

// exitCode follows the shell: 128 plus the signal's number for a command that a signal ended.
func exitCode(err error) (int, error) {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}

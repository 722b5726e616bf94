// A broker of mochi-mqtt that accepts every client but the user "intruder", and every topic but one.
//
// Settings: port=N, maximumBytes=N (largest packet), denied=TOPIC.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"
)

type access struct {
	mqtt.HookBase
	denied string
}

func (a *access) ID() string { return "access" }

func (a *access) Provides(b byte) bool {
	return bytes.Contains([]byte{mqtt.OnConnectAuthenticate, mqtt.OnACLCheck}, []byte{b})
}

func (a *access) OnConnectAuthenticate(_ *mqtt.Client, pk packets.Packet) bool {
	return string(pk.Connect.Username) != "intruder"
}

func (a *access) OnACLCheck(_ *mqtt.Client, topic string, write bool) bool {
	return !write || topic != a.denied
}

func main() {
	settings := map[string]string{}
	for _, given := range os.Args[1:] {
		key, value, _ := strings.Cut(given, "=")
		settings[key] = value
	}
	capabilities := mqtt.NewDefaultServerCapabilities()
	if maximum, err := strconv.Atoi(settings["maximumBytes"]); err == nil {
		capabilities.MaximumPacketSize = uint32(maximum)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	server := mqtt.New(&mqtt.Options{Capabilities: capabilities, Logger: quiet})
	must(server.AddHook(&access{denied: settings["denied"]}, nil))
	address := "127.0.0.1:" + settings["port"]
	must(server.AddListener(listeners.NewTCP(listeners.Config{ID: "tcp", Address: address})))
	must(server.Serve())
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

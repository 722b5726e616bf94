// An OPC UA server on gopcua. It takes its settings as key=value, says when it is ready, and ends with its input.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gopcua/opcua/id"
	"github.com/gopcua/opcua/server"
	"github.com/gopcua/opcua/ua"
)

func main() {
	log.SetOutput(io.Discard)
	settings := map[string]string{}
	for _, argument := range os.Args[1:] {
		key, value, _ := strings.Cut(argument, "=")
		settings[key] = value
	}
	port, _ := strconv.Atoi(settings["port"])
	bulk, _ := strconv.Atoi(settings["bulk"])
	options := []server.Option{
		server.EnableSecurity("None", ua.MessageSecurityModeNone),
		server.EnableAuthMode(ua.UserTokenTypeAnonymous),
		server.EndPoint("127.0.0.1", port),
	}
	// It lists only endpoints with the URL of the client, which may reach it through a proxy.
	if through, err := strconv.Atoi(settings["through"]); err == nil {
		options = append(options, server.EndPoint("127.0.0.1", through))
	}
	running := server.New(options...)
	root, err := running.Namespace(0)
	if err != nil {
		panic(err)
	}
	nodes := server.NewNodeNameSpace(running, "urn:penstock:test")
	running.AddNamespace(nodes)
	root.Objects().AddRef(nodes.Objects(), id.HasComponent, true)
	add := func(name string, value any) {
		node := nodes.AddNewVariableStringNode(name, value)
		nodes.Objects().AddRef(node, id.HasComponent, true)
	}
	add("boolean", true)
	add("sByte", int8(-128))
	add("byte", byte(255))
	add("int16", int16(-32768))
	add("uint16", uint16(65535))
	add("int32", int32(-2147483648))
	add("uint32", uint32(4294967295))
	add("int64", int64(-9223372036854775808))
	add("uint64", uint64(18446744073709551615))
	add("float", float32(12.5))
	add("double", 0.1)
	add("string", "Kessel ß")
	add("dateTime", time.Date(2024, 2, 29, 12, 0, 0, 123_000_000, time.UTC))
	add("guid", ua.NewGUID("72962b91-fa75-4ae6-8d28-b404dc7daf63"))
	add("byteString", []byte{1, 2, 3})
	add("xmlElement", ua.XMLElement("<a>1</a>"))
	add("nodeId", ua.NewNumericNodeID(0, 85))
	add("expandedNodeId", ua.NewExpandedNodeID(ua.NewNumericNodeID(0, 7), "urn:far", 4))
	add("qualifiedName", &ua.QualifiedName{NamespaceIndex: 1, Name: "Boiler"})
	add("localizedText", ua.NewLocalizedText("Vorlauf"))
	add("statusCode", ua.StatusBadTimeout)
	add("range", ua.NewExtensionObject(&ua.Range{Low: -1.5, High: 20}))
	add("variants", []*ua.Variant{ua.MustVariant(int32(7)), ua.MustVariant("x")})
	add("setpoint", int32(0))
	for number := range bulk {
		add(fmt.Sprintf("bulk.%d", number), int32(number))
	}
	if err := running.Start(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}

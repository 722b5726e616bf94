module counterpart

go 1.24

require github.com/gopcua/opcua v0.8.0

require github.com/google/uuid v1.6.0 // indirect

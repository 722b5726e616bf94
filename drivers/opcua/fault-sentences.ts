/** English sentences of errors in OPC UA, by their code. */
export const OPCUA_FAULTS = {
  EXPECTED_NODE_ID: 'expected a NodeId, for example ns=2;s=Boiler.Level or nsu=urn:vendor:device;i=1001',
} as const;

/** Reads and writes the simulated plant at the given endpoint; prints what it saw as JSON. */
import * as opcua from 'node-opcua-client';

const { AttributeIds, DataType, OPCUAClient, OPCUACertificateManager } = {
  ...opcua,
  ...(await import('node-opcua-certificate-manager')),
};
const [endpoint = ''] = process.argv.slice(2);
const client = OPCUAClient.create({
  endpointMustExist: false,
  connectionStrategy: { maxRetry: 0 },
  clientCertificateManager: new OPCUACertificateManager({ rootFolder: `${process.env['HOME']}/pki` }),
});
await client.connect(endpoint);
const session = await client.createSession();

const read = async (name: string) => {
  const { value, statusCode } = await session.read({
    nodeId: `ns=1;s=${name}`,
    attributeId: AttributeIds.Value,
  });
  return { value: value.value as unknown, status: statusCode.name };
};
const write = async (name: string, value: number): Promise<string> => {
  const variant = { dataType: DataType.Float, value };
  const attributeId = AttributeIds.Value;
  const status = await session.write({ nodeId: `ns=1;s=${name}`, attributeId, value: { value: variant } });
  return status.name;
};

const energy = (await read('boiler.energy')).value as readonly [number, number];
const seen = {
  setpoint: Math.fround((await read('boiler.setpoint')).value as number),
  flowTemperature: typeof (await read('boiler.flowTemperature')).value,
  deviceName: (await read('boiler.deviceName')).value,
  energy: (BigInt(energy[0]) << 32n) + BigInt(energy[1]) > 412_000_000n ? 'bigint beyond 412000000' : energy,
  missing: (await read('boiler.nothing')).status,
  written: await write('boiler.setpoint', 64.5),
  refused: [await write('boiler.setpoint', 1e9), await write('boiler.flowTemperature', 1)],
  readBack: (await read('boiler.setpoint')).value,
};
await session.close();
await client.disconnect();
process.stdout.write(`\n${JSON.stringify(seen)}\n`);

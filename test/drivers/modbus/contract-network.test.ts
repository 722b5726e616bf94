import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ModbusAddress } from '../../../drivers/modbus/modbus-address.ts';
import type { DriverBench } from '../../contract/driver-bench.ts';
import { testDriver } from '../../contract/driver-contract.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../../support/certificate-authority.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { ModbusProcess } from '../../support/modbus-process.ts';
import { PYMODBUS_SERVERS } from '../../support/pymodbus-server.ts';
import { layTcpCable } from '../../support/tcp-cable.ts';
import { createModbusBench } from './contract-bench.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

for (const pipelineDepth of [1, 8]) {
  testDriver(
    `Modbus TCP, ${pipelineDepth} at once, against libmodbus`,
    () => createBench(startLibmodbusServer(), { pipelineDepth }),
    testsThatNeed('libmodbus'),
  );
}

for (const [name, startServer] of PYMODBUS_SERVERS) {
  testDriver(
    `Modbus RTU over TCP, against ${name}`,
    () => createBench(startServer('rtu-over-tcp'), { transport: 'rtu-over-tcp', responseTimeoutMs: 1000 }),
    testsThatNeed(name),
  );

  testDriver(`Modbus over TLS, against ${name}`, () => createTlsBench(startServer), testsThatNeed(name));
}

async function createTlsBench(
  startServer: (...parameters: readonly string[]) => Promise<ModbusProcess>,
): Promise<DriverBench<ModbusAddress>> {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-contract-'));
  const write = (name: string, text: string): string => {
    const file = path.join(directory, name);
    writeFileSync(file, text);
    return file;
  };
  const [server, client] = [await getServerCertificate(), await getClientCertificate('gateway')];
  const authority = write('ca.pem', (await getCertificateAuthority()).certificate);
  const serverFiles = [write('server.pem', server.certificate), write('server.key', server.privateKey)];
  const settings = {
    transport: 'tcp-tls',
    certificateAuthoritiesFile: authority,
    certificateFile: write('client.pem', client.certificate),
    privateKeyFile: write('client.key', client.privateKey),
  };
  return createBench(startServer('tls', ...serverFiles, authority), settings, () =>
    rmSync(directory, { recursive: true }),
  );
}

async function createBench(
  starting: Promise<ModbusProcess>,
  settings: object,
  cleanUp: () => void = () => undefined,
): Promise<DriverBench<ModbusAddress>> {
  const server = await starting;
  const cable = await layTcpCable(server.port);
  return createModbusBench(
    { host: '127.0.0.1', port: cable.port, ...settings },
    {
      unplug: () => cable.pull(),
      plug: () => cable.mend(),
      silence: () => cable.hold(),
      wake: () => cable.release(),
      async [Symbol.asyncDispose]() {
        await cable[Symbol.asyncDispose]();
        await server.close();
        cleanUp();
      },
    },
  );
}

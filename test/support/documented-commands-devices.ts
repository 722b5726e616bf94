import { openModbusTcp } from '../../daemon/simulator/plant-modbus.ts';
import { SimulatedPlant } from '../../daemon/simulator/plant-memory.ts';
import { makeServerCertificate } from './asyncua-certificate.ts';
import { startAsyncuaServer } from './asyncua-server.ts';
import type { PlayedPage } from './documented-commands-page.ts';
import { findFreePort } from './free-ports.ts';
import { startInstrument } from './serial-instrument.ts';
import { openSerialPair } from './serial-pair.ts';
import { layTcpCable } from './tcp-cable.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';

const POLICY = 'Basic256Sha256_SignAndEncrypt';
const FINGERPRINT =
  'D3:CA:AC:59:D8:BB:8F:0C:A9:0D:59:92:95:85:E2:55:BF:3B:A1:9B:2E:43:0E:24:55:E5:2F:A4:91:D6:5F:A9';
const LINE = '/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0';

/** The part of a page that depends on its device. */
type DeviceTerms = Pick<PlayedPage, 'names' | 'before'>;

/** Starts the simulated plant behind a cable, which the page about Modbus holds while the unit is silent. */
export async function startModbusDevice(t: Owner): Promise<DeviceTerms> {
  const plant = await openModbusTcp(new SimulatedPlant(), '127.0.0.1', 0);
  t.after(() => plant.close());
  const cable = await layTcpCable(Number(plant.endpoint.split(':')[1]));
  t.after(() => cable.pull());
  const closedPort = await findFreePort();
  return {
    names: [
      ['--host 192.0.2.20', `--host 127.0.0.1 --port ${cable.port}`],
      ['--port 502', `--port ${cable.port}`],
      ['--port 503', `--port ${closedPort}`],
      ['192.0.2.20:502', `127.0.0.1:${cable.port}`],
      ['192.0.2.20:503', `127.0.0.1:${closedPort}`],
    ],
    before: {
      '--port 503': () => cable.release(),
      'driver test plc || echo': () => cable.hold(),
    },
  };
}

/** Starts a server on asyncua with a certificate of its own. */
export async function startOpcuaDevice(t: Owner): Promise<DeviceTerms> {
  const directory = createTemporaryDirectory(t);
  const { fingerprint256 } = makeServerCertificate(directory);
  const server = await startAsyncuaServer({ directory, policies: [POLICY], many: 1 });
  t.after(async () => server[Symbol.asyncDispose]());
  return {
    names: [
      [FINGERPRINT, fingerprint256],
      ['opc.tcp://192.0.2.7:4840', `opc.tcp://127.0.0.1:${server.port}`],
      ['urn:example:plc', 'urn:penstock:test'],
      ['Example PLC', 'FreeOpcUa Python Server'],
    ],
  };
}

/** Starts a scale on a pair of pseudo terminals. */
export async function startSerialDevice(t: Owner): Promise<DeviceTerms> {
  const pair = await openSerialPair();
  t.after(async () => pair[Symbol.asyncDispose]());
  const instrument = await startInstrument('scale', pair.instrument);
  t.after(async () => instrument[Symbol.asyncDispose]());
  return { names: [[LINE, pair.gateway]] };
}

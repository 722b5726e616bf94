import { startMosquitto } from '../support/mosquitto.ts';
import type { Mosquitto } from '../support/mosquitto.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { startOpcuaServer } from '../support/opcua-server.ts';
import type { OpcuaServer } from '../support/opcua-server.ts';
import { startInstrument } from '../support/serial-instrument.ts';
import { openSerialPair } from '../support/serial-pair.ts';
import type { SerialPair } from '../support/serial-pair.ts';
import { layTcpCable } from '../support/tcp-cable.ts';
import type { TcpCable } from '../support/tcp-cable.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Owner } from '../support/temporary-directory.ts';

/** The devices and the broker that the gateway of a soak has. */
export interface Counterparts {
  /** Port of a Modbus server that is always there. */
  readonly steadyPort: number;
  /** Way to a Modbus server that is gone at times. */
  readonly cable: TcpCable;
  readonly opcua: OpcuaServer;
  /** Line of a scale. */
  readonly line: SerialPair;
  readonly broker: Mosquitto;
}

/**
 * Starts everything that is not the gateway; it ends with its owner.
 *
 * @throws {Error} if a tool is missing, naming the Debian package
 */
export async function startCounterparts(owner: Owner): Promise<Counterparts> {
  const [steady, far] = [await startLibmodbusServer(), await startLibmodbusServer()];
  owner.after(() => steady.close());
  owner.after(() => far.close());
  const cable = await layTcpCable(far.port);
  owner.after(() => cable.pull());
  const opcua = await startOpcuaServer({ directory: createTemporaryDirectory(owner) });
  owner.after(() => opcua.kill());
  const line = await openSerialPair();
  owner.after(async () => line[Symbol.asyncDispose]());
  const scale = await startInstrument('scale', line.instrument);
  owner.after(async () => scale[Symbol.asyncDispose]());
  return { steadyPort: steady.port, cable, opcua, line, broker: await startMosquitto(owner) };
}

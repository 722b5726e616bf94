import { createModbusParts } from '../devices/modbus/modbus-parts.ts';
import { OpcuaNetwork } from '../devices/opcua/opcua-network.ts';
import { SMALL_NODES } from '../devices/opcua/node-plans.ts';
import { createOpcuaPart } from '../devices/opcua/opcua-part.ts';
import { createSerialPart, SERIAL_POINTS } from '../devices/serial/serial-part.ts';
import { SimulatedNetwork } from '../network/simulated-network.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { Random } from '../world/random.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import type { PlantPart } from '../world/truth.ts';

interface PartsOptions {
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
}

/** The devices of a plant, and the ways to them. */
export interface WiredParts {
  readonly parts: readonly PlantPart[];
  readonly network: SimulatedNetwork;
  readonly opcua: OpcuaNetwork;
}

// Numbers of points tell their values apart; those of Modbus units begin at 1.
const FIRST_OPCUA_POINT = 1000;
const FIRST_SERIAL_POINT = 2000;
const FIRST_POINT_OF_SMALL_SERVER = 1500;
// Each look at a server takes time of whoever simulates it.
const KEEP_ALIVES_OF_SMALL_SERVER_MS = [10_000];
// With those of Modbus, forty units.
const OPCUA_ASSETS = 8;
const CALM_BEATS = 20;

/** Creates six lines and two servers, with forty units behind them. */
export function createParts({ time, random, chronicle }: PartsOptions): WiredParts {
  const network = new SimulatedNetwork({ time, random: random.branch('network') });
  const opcua = new OpcuaNetwork();
  const isCalm = time.tempo.hasCalm;
  const parts = [
    ...createModbusParts({
      time,
      random: random.branch('modbus'),
      network,
      beatStretch: isCalm ? CALM_BEATS : 1,
    }),
    createOpcuaPart({
      time,
      random: random.branch('opcua'),
      network: opcua,
      chronicle,
      pid: 'server',
      firstPoint: FIRST_OPCUA_POINT,
      isCalm,
      assetCount: OPCUA_ASSETS,
    }),
    createSerialPart({
      time,
      random: random.branch('instrument'),
      network,
      pid: 'instrument',
      firstPoint: FIRST_SERIAL_POINT,
      tempo: time.tempo,
    }),
    // Beside them, so that one may be sick while the other is not.
    createSerialPart({
      time,
      random: random.branch('scale'),
      network,
      pid: 'scale',
      firstPoint: FIRST_SERIAL_POINT + SERIAL_POINTS,
      tempo: time.tempo,
    }),
    createOpcuaPart({
      time,
      random: random.branch('mill'),
      network: opcua,
      chronicle,
      pid: 'mill',
      firstPoint: FIRST_POINT_OF_SMALL_SERVER,
      isCalm,
      assetCount: 1,
      plans: SMALL_NODES,
      keepAlivesMs: KEEP_ALIVES_OF_SMALL_SERVER_MS,
    }),
  ];
  return { parts, network, opcua };
}

import { createChannels, createDriver, sequence } from '../bench/plant.ts';
import { SCALE_CHANNELS } from '../support/serial-instrument.ts';
import type { Counterparts } from './counterparts.ts';

/** Identities of a soak, by what they do; each has a password, and a client certificate of its name. */
export const IDENTITIES = {
  scada: { name: 'scada', permissions: ['rest.assets', 'rest.events'], password: 'steady-heron-41' },
  operator: { name: 'operator', permissions: ['rest.assets', 'rest.events'], password: 'steady-heron-42' },
  machine: { name: 'machine', permissions: ['rest.assets.read'], password: 'steady-heron-43' },
  engineer: {
    name: 'engineer',
    permissions: ['rest.configuration', 'rest.assets', 'rest.deploy', 'rest.identity'],
    password: 'steady-heron-44',
  },
  chief: { name: 'chief', permissions: ['rest.admin'], password: 'steady-heron-45' },
} as const;

/** Samples that the gateway keeps, in bytes; the least that the configuration accepts. */
export const RECORDING_BYTES = 16 * 2 ** 20;
/** What journal and history may have on the disk for them: the write-ahead log of SQLite and, until its checkpoint, the pages that it frees have 4 MiB each. */
export const RECORDING_DISK_BYTES = RECORDING_BYTES + 2 * 4 * 2 ** 20;
/** What the write-ahead log of the store may have: SQLite writes a checkpoint at 4 MiB, and what is written until it ends is added. */
export const STORE_LOG_BYTES = 8 * 2 ** 20;
export const SENDER = 'penstock-mqtt';
export const RECORDERS = { steady: 'steady', changes: 'changes' } as const;
/** Channels of `plant` and `far` that are read; register by register they hold their offset. */
export const CHANNELS = 20;
/** Milliseconds between two samples of a channel. */
const INTERVAL_MS = 500;

const NODES = 'nsu=urn:penstock:test;s=';

/** Describes the configuration of the gateway of a soak. */
export function describePlant({ steadyPort, cable, opcua, line, broker }: Counterparts): object {
  const node = (name: string, valueType: string, more: object = {}): object => ({
    name: name.replace('writable.', ''),
    type: 'READ',
    valueType,
    address: { nodeId: `${NODES}${name}` },
    ...more,
  });
  const verified = { type: 'READ_WRITE', write: { verify: {} } };
  const setpoint = {
    name: 'setpoint',
    valueType: 'INTEGER',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 500, dataType: 'INT16' },
    ...verified,
  };
  const [note, mark] = ['note', 'mark'].map((name, index) => ({
    name,
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 501 + index, dataType: 'INT16' },
  }));
  return {
    rest: {
      basicAuthenticationEnabled: true,
      statelessCertificateAuthenticationEnabled: true,
      jwtAuthenticationEnabled: true,
      // What expires does so within minutes, so that there is as much after ten minutes as after an hour.
      sessionInactivityIntervalSeconds: 120,
      jwtAccessTokenDurationSeconds: 60,
      jwtRefreshTokenDurationSeconds: 90,
      jwtUsedRefreshTokenRetentionSeconds: 60,
      jwtUsedRefreshTokensPersistent: true,
    },
    identities: Object.values(IDENTITIES),
    drivers: [
      createDriver('steady', steadyPort),
      createDriver('away', cable.port, { responseTimeoutMs: 500, callDeadlineMs: 5000 }),
      {
        pid: 'server',
        type: 'opcua',
        endpointUrl: opcua.endpointUrl,
        securityMode: 'NONE',
      },
      {
        pid: 'line',
        type: 'serial',
        device: line.gateway,
        framing: { type: 'delimiter', delimiter: '\\r\\n' },
        responseTimeoutMs: 2000,
      },
    ],
    assets: [
      {
        pid: 'plant',
        driver: 'steady',
        channels: [...createChannels(sequence(CHANNELS)), setpoint, note, mark],
      },
      { pid: 'far', driver: 'away', channels: createChannels(sequence(CHANNELS)) },
      {
        pid: 'server',
        driver: 'server',
        channels: [
          node('int32', 'INTEGER'),
          node('double', 'DOUBLE'),
          node('string', 'STRING'),
          node('writable.uint16', 'INTEGER', verified),
        ],
      },
      {
        pid: 'scale',
        driver: 'line',
        channels: [SCALE_CHANNELS.weight, { ...SCALE_CHANNELS.setpoint, ...verified }],
      },
    ],
    recording: { maximumBytes: RECORDING_BYTES, reservedBytes: 0 },
    recorders: [
      { pid: RECORDERS.steady, intervalMs: INTERVAL_MS, assets: [{ asset: 'plant' }, { asset: 'server' }] },
      { pid: RECORDERS.changes, onChange: true, assets: [{ asset: 'plant', channels: ['setpoint'] }] },
    ],
    bundles: [
      {
        pid: SENDER,
        settings: {
          brokers: [`mqtt://127.0.0.1:${broker.port}`],
          recorders: Object.values(RECORDERS),
        },
      },
    ],
  };
}

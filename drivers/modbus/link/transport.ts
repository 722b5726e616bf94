import type { DriverContext } from '../../../daemon/channel/driver.ts';
import type { ByteLink } from '../../link/byte-link.ts';
import { nameLine } from '../../link/serial-device.ts';
import type { LinkTap } from '../../link/link-tap.ts';
import type { Links } from '../../link/links.ts';
import { ExpectedDevice } from '../../link/expected-device.ts';
import type { ListenPorts } from '../../link/listen-ports.ts';
import { describeCaller, toIdentity } from '../listen-settings.ts';
import type { ClientEvents, ModbusClient } from './modbus-client.ts';
import type { ConfigOf, ModbusConfig } from '../modbus-config.ts';
import { characterMsOf, silentIntervalMs } from '../read/plan-report.ts';
import type { LineSpeed, Wire } from '../read/plan-report.ts';
import { SerialClient } from './serial-client.ts';
import { asciiFraming, rtuFraming } from '../pdu/serial-framing.ts';
import type { LineTiming } from '../pdu/serial-framing.ts';
import { LateResponseGuard } from './late-response-guard.ts';
import type { LineRequest } from '../pdu/request.ts';
import { TcpClient } from './tcp-client.ts';
import { TransactionIds } from './transaction-ids.ts';
import { UdpClient } from './udp-client.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';
import { WarmUp } from '../health/warm-up.ts';

/** Link to the units of a connection. */
export interface Transport {
  /** Name of the far end in messages: `192.0.2.7:502`. */
  readonly endpoint: string;
  /** Maximum outstanding requests. */
  readonly depth: number;
  readonly wire: Omit<Wire, 'delayBetweenRequestsMs'>;
  /** Milliseconds without a request after which the link is closed; absent: never. */
  readonly closeAfterIdleMs?: number | undefined;
  /** Milliseconds from opening the link to the first request. */
  readonly connectDelayMs: number;
  /** True if reads without a valid response are retried: nothing below the protocol retransmits. */
  readonly retriesUnanswered: boolean;
  /** Units that must not be polled yet; absent if responses carry a transaction identifier. */
  readonly settling?: LateResponseGuard | undefined;
  /** Device that connects to the gateway; absent for all other transports. */
  readonly expected?: ExpectedDevice | undefined;
  /** Creates a client whose link was never opened. */
  createClient(events: ClientEvents): ModbusClient;
}

export interface TransportParts {
  readonly links: Links;
  /** Ports of the gateway, shared by all drivers. */
  readonly ports: ListenPorts;
  /** Shows the bytes of links that devices open; `links` shows those of others. Absent: none. */
  readonly tap?: LinkTap;
  readonly settings: UnitSettingsTable;
  readonly context: Pick<DriverContext, 'clock' | 'random' | 'logger'>;
}

const BROADCAST_UNIT = 0;

/**
 * True if all units carry out the request and none responds: only on serial lines (MODBUS over Serial Line V1.02, 2.1).
 */
export function isBroadcast(
  { settling }: Pick<Transport, 'settling'>,
  { unitId }: Pick<LineRequest, 'unitId'>,
): boolean {
  return unitId === BROADCAST_UNIT && settling !== undefined;
}

type SerialConfig = ConfigOf<'rtu' | 'ascii' | 'rtu-over-tcp'>;
type LineConfig = ConfigOf<'rtu' | 'ascii'>;

/** Formats the endpoint for clients: host and port, or the serial line. */
export function describeEndpoint(config: ModbusConfig): string {
  if (config.transport === 'rtu' || config.transport === 'ascii') return nameLine(config.device);
  if (config.transport === 'tcp-listen') return describeCaller(config);
  const { host, port } = config;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Creates the transport for the settings. Performs no I/O. */
export function createTransport(config: ModbusConfig, parts: TransportParts): Transport {
  if (config.transport === 'tcp' || config.transport === 'tcp-tls') return createTcp(config, parts);
  if (config.transport === 'udp') return createUdp(config, parts);
  if (config.transport === 'tcp-listen') return createListen(config, parts);
  return createSerial(config, parts);
}

const TRANSACTION_IDS = 65_536;

function createUdp(config: ConfigOf<'udp'>, { links, context }: TransportParts): Transport {
  const endpoint = describeEndpoint(config);
  const { clock, random } = context;
  // A response to an earlier process must not answer a request of this one.
  const ids = new TransactionIds(Math.floor(random() * TRANSACTION_IDS));
  return {
    endpoint,
    depth: config.pipelineDepth,
    wire: { framing: 'MBAP' },
    connectDelayMs: 0,
    retriesUnanswered: true,
    createClient: (events) =>
      new UdpClient({
        link: links.createUdp(config),
        endpoint,
        clock,
        events,
        ids,
        ignoresUnitId: config.ignoreUnitIdInAnswers,
      }),
  };
}

function createTcp(
  config: ConfigOf<'tcp' | 'tcp-tls'>,
  { links, context: { clock } }: TransportParts,
): Transport {
  const endpoint = describeEndpoint(config);
  const ids = new TransactionIds();
  const createLink = (): ByteLink =>
    config.transport === 'tcp'
      ? links.createTcp({ ...config, clock })
      : links.createTls({ ...config, clock });
  return {
    endpoint,
    depth: config.ignoreTransactionId ? 1 : config.pipelineDepth,
    wire: { framing: 'MBAP' },
    closeAfterIdleMs: config.closeAfterIdleMs,
    connectDelayMs: config.connectDelayMs,
    retriesUnanswered: false,
    createClient: (events) =>
      new TcpClient({
        link: createLink(),
        endpoint,
        clock,
        events,
        ids,
        ignoresUnitId: config.ignoreUnitIdInAnswers,
        ignoresTransactionId: config.ignoreTransactionId,
        maximumStrayBytes: config.maximumStrayBytes,
      }),
  };
}

// For heartbeats that the stream cuts, and the rest of a packet.
const STRAY_BYTES_OF_HEARTBEAT = 256;

function createListen(
  config: ConfigOf<'tcp-listen'>,
  { ports, tap, settings, context: { clock, logger } }: TransportParts,
): Transport {
  const endpoint = describeEndpoint(config);
  const identity = toIdentity(config.identify);
  const { heartbeat } = identity;
  const { listenPort, connectTimeoutMs, connectDelayMs } = config;
  const expected = new ExpectedDevice({
    ports,
    port: listenPort,
    identity,
    name: endpoint,
    waitMs: connectTimeoutMs,
    clock,
    logger,
  });
  const shared = { endpoint, depth: 1, connectDelayMs, expected };
  const createLink = (): ByteLink => tap?.tap(expected.createLink()) ?? expected.createLink();
  if (config.framing === 'MBAP') {
    const ids = new TransactionIds();
    return {
      ...shared,
      wire: { framing: 'MBAP' },
      retriesUnanswered: false,
      createClient: (events) =>
        new TcpClient({
          link: createLink(),
          endpoint,
          clock,
          events,
          ids,
          ignoresUnitId: false,
          ignoresTransactionId: false,
          keepsLink: true,
          maximumStrayBytes: heartbeat === undefined ? 0 : STRAY_BYTES_OF_HEARTBEAT,
          heartbeat,
        }),
    };
  }
  const settling = new LateResponseGuard(clock, (unitId) => settings.of(unitId).responseTimeoutMs);
  return {
    ...shared,
    wire: { framing: 'RTU' },
    retriesUnanswered: true,
    settling,
    createClient: (events) =>
      new SerialClient({
        link: createLink(),
        endpoint,
        clock,
        events,
        framing: rtuFraming,
        timing: timingOf(undefined, false),
        hasEcho: false,
        settling,
        warmUp: new WarmUp(clock),
        heartbeat,
      }),
  };
}

function createSerial(
  config: SerialConfig,
  { links, settings, context: { clock } }: TransportParts,
): Transport {
  const endpoint = describeEndpoint(config);
  const { echo } = config;
  const isAscii = config.transport === 'ascii';
  const isNetwork = config.transport === 'rtu-over-tcp';
  const speed = isNetwork ? undefined : speedOf(config);
  const timing = timingOf(speed, isAscii);
  const settling = new LateResponseGuard(clock, (unitId) =>
    Math.max(settings.of(unitId).responseTimeoutMs, timing.silentIntervalMs),
  );
  const createLink = (): ByteLink =>
    isNetwork
      ? links.createTcp({ ...config, clock })
      : links.createSerial({ ...config, ...speedOf(config), clock });
  return {
    endpoint,
    depth: 1,
    wire: { framing: isAscii ? 'ASCII' : 'RTU', speed },
    closeAfterIdleMs: isNetwork ? config.closeAfterIdleMs : undefined,
    connectDelayMs: isNetwork ? config.connectDelayMs : 0,
    retriesUnanswered: true,
    settling,
    createClient: (events) =>
      new SerialClient({
        link: createLink(),
        endpoint,
        clock,
        events,
        framing: isAscii ? asciiFraming : rtuFraming,
        timing,
        hasEcho: echo,
        settling,
        warmUp: isNetwork ? new WarmUp(clock) : undefined,
      }),
  };
}

function speedOf({ baudRate, dataBits, parity, stopBits }: LineConfig): LineSpeed {
  // A character has eleven bits: without parity a second stop bit replaces it (MODBUS over Serial Line V1.02, 2.5.1).
  return { baudRate, dataBits, parity, stopBits: stopBits ?? (parity === 'none' ? 2 : 1) };
}

function timingOf(speed: LineSpeed | undefined, isAscii: boolean): LineTiming {
  if (speed === undefined) return { characterMs: 0, silentIntervalMs: 0 };
  // Frames in ASCII mode are delimited by characters and need no silent interval.
  return { characterMs: characterMsOf(speed), silentIntervalMs: isAscii ? 0 : silentIntervalMs(speed) };
}

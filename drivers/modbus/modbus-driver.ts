import { createReason } from '../../daemon/base/fault-reason.ts';
import { MODBUS_TRACE_SENTENCES } from './trace-sentences.ts';
import type { Proposal, ScanRun } from '../../daemon/channel/discovery.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import type {
  AdaptingDriver,
  DriverContext,
  DriverFactory,
  InspectingDriver,
  Inspection,
  PreparedRead,
  ScanningDriver,
  SettingsSearch,
  UnitStatus,
} from '../../daemon/channel/driver.ts';
import type { PreparedWrites, WriteRequest } from '../../daemon/channel/write-step.ts';
import type { LockedDevice, LockingDriver } from '../../daemon/channel/locking-driver.ts';
import type { AdvisingDriver } from '../../daemon/channel/advising-driver.ts';
import type { RetainingDriver } from '../../daemon/channel/retaining-driver.ts';
import type { TracedFrame, TracingDriver } from '../../daemon/channel/trace/tracing-driver.ts';
import { LinkTap } from '../link/link-tap.ts';
import { systemLinks } from '../link/links.ts';
import { ListenPorts } from '../link/listen-ports.ts';
import type { Links } from '../link/links.ts';
import { checkChannel, rawNumberOf } from './check-channel.ts';
import { UnsupportedFunctions } from './health/unsupported-functions.ts';
import { isSameText } from './write/encode-write.ts';
import { addressSchema, countEntries, locate } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { configSchema } from './modbus-config.ts';
import type { ModbusConfig } from './modbus-config.ts';
import { prepareInParts } from './value/long-array.ts';
import { READ_FUNCTION } from './pdu/modbus-functions.ts';
import type { EntryRange } from './pdu/modbus-functions.ts';
import { inspectChannel } from './modbus-inspect.ts';
import { ModbusLine } from './link/modbus-line.ts';
import type { ExchangingLine } from './link/exchange.ts';
import { ModbusRead } from './read/modbus-read.ts';
import { createTracer } from './modbus-trace.ts';
import { ReadLimitsTable } from './read/read-plans.ts';
import { findCaller, nameAnyCaller, needsCaller } from './scan/caller-search.ts';
import { findLineSettings } from './scan/line-search.ts';
import { scanUnits } from './scan/modbus-scan.ts';
import { optionsSchema } from './scan/scan-options.ts';
import type { ScanOptions } from './scan/scan-options.ts';
import { moveStep, prepareWrites } from './write/modbus-write.ts';
import { createTransport, describeEndpoint } from './link/transport.ts';
import type { Transport, TransportParts } from './link/transport.ts';
import { adviseReadFunction } from './health/read-function.ts';
import { nameUnit } from './health/unit-health.ts';
import { adviseWarmUp } from './health/warm-up.ts';
import { differsInUnitsOnly, UnitSettingsTable } from './unit-settings.ts';

/** Reads and writes the units of one Modbus connection. */
class ModbusDriver
  implements
    InspectingDriver<ModbusAddress>,
    AdaptingDriver<ModbusAddress>,
    ScanningDriver<ModbusAddress>,
    LockingDriver<ModbusAddress>,
    RetainingDriver<ModbusAddress>,
    AdvisingDriver<ModbusAddress>,
    TracingDriver<ModbusAddress>
{
  readonly #settings: UnitSettingsTable;
  readonly #context: DriverContext;
  readonly #transport: Transport;
  readonly #line: ModbusLine;
  readonly #tap = new LinkTap();
  readonly #limits: ReadLimitsTable;
  readonly #unsupported: UnsupportedFunctions;
  readonly #isTcp: boolean;
  /** True if the device refused the newest connection. */
  #isRefused = false;

  constructor(config: ModbusConfig, context: DriverContext, parts: Pick<TransportParts, 'links' | 'ports'>) {
    this.#settings = new UnitSettingsTable(config);
    this.#context = context;
    this.#isTcp = config.transport === 'tcp';
    const links = this.#tap.tapAll(parts.links);
    const tap = this.#tap;
    this.#transport = createTransport(config, { ...parts, links, tap, settings: this.#settings, context });
    this.#line = new ModbusLine({ transport: this.#transport, settings: this.#settings, context });
    this.#limits = new ReadLimitsTable(this.#settings, this.#line.sizes);
    this.#unsupported = new UnsupportedFunctions(context.clock, context.logger);
  }

  adapt(settings: ModbusConfig): void {
    this.#settings.replace(settings);
  }

  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    this.#isRefused = false;
    try {
      await this.#line.connect(signal, onLost);
    } catch (error) {
      this.#isRefused = isConnectionRefused(error as Error);
      throw error;
    }
  }

  disconnect(): Promise<void> {
    return this.#line.disconnect();
  }

  close(): void {
    this.#transport.expected?.close();
  }

  trace(onFrame: ((frame: TracedFrame) => void) | undefined): void {
    const { framing } = this.#transport.wire;
    this.#tap.listen(onFrame === undefined ? undefined : createTracer(framing, onFrame));
  }

  retain(channels: readonly Channel<ModbusAddress>[]): void {
    this.#line.units.retain(Map.groupBy(channels.map(toEntries), ({ unitId }) => unitId));
  }

  prepareRead(channels: readonly Channel<ModbusAddress>[]): PreparedRead {
    return this.#prepareRead(channels, this.#line, this.#transport.depth);
  }

  prepareWrite(requests: readonly WriteRequest<ModbusAddress>[]): Promise<PreparedWrites> {
    const { clock } = this.#context;
    const options = { line: this.#line, settings: this.#settings, unsupported: this.#unsupported, clock };
    return Promise.resolve(prepareWrites(requests, options));
  }

  isSameText(channel: Channel<ModbusAddress>, shown: string, text: string): boolean {
    return isSameText(channel, shown, text);
  }

  runExclusive<T>(
    { address }: Channel<ModbusAddress>,
    signal: AbortSignal,
    work: (turn: LockedDevice<ModbusAddress>) => Promise<T>,
  ): Promise<T> {
    return this.#line.runExclusive(address.unitId, signal, (line) =>
      work({
        prepareRead: (channels) => this.#prepareRead(channels, line, 1),
        take: (step) => moveStep(step, line),
      }),
    );
  }

  #prepareRead(
    channels: readonly Channel<ModbusAddress>[],
    line: ExchangingLine,
    depth: number,
  ): PreparedRead {
    const { wire, retriesUnanswered } = this.#transport;
    const options = {
      line,
      clock: this.#context.clock,
      settings: this.#settings,
      limits: this.#limits,
      wire,
      depth,
      retriesUnanswered,
    };
    return prepareInParts(channels, this.#limits, (parts) => new ModbusRead(parts, options));
  }

  inspect(
    channel: Channel<ModbusAddress>,
    signal: AbortSignal,
  ): Promise<Inspection | { readonly failure: ChannelFailure }> {
    const { clock } = this.#context;
    return inspectChannel(channel, { line: this.#line, settings: this.#settings, clock, signal });
  }

  scan(options: ScanOptions, run: ScanRun): Promise<Proposal> {
    const { clock } = this.#context;
    const isSerial = this.#transport.settling !== undefined;
    return scanUnits({ line: this.#line, clock, isSerial, options, run });
  }

  unitStatus(): readonly UnitStatus[] {
    return this.#line.units.status();
  }

  get isWarmingUp(): boolean {
    return this.#line.link.isWarmingUp;
  }

  listAdvice(): readonly string[] {
    const { warmUpMs, unitsWithoutRead } = this.#line.link;
    const identity = this.#transport.expected?.advice;
    return [
      ...(this.#isRefused && this.#isTcp
        ? ['if the device supports Modbus over UDP, set transport: udp']
        : []),
      ...(identity === undefined ? [] : [identity]),
      ...(warmUpMs === undefined ? [] : [adviseWarmUp(warmUpMs).message]),
      ...unitsWithoutRead.map((unitId) => adviseReadFunction(unitId, 'UNKNOWN').message),
    ];
  }

  unitOf({ address }: Channel<ModbusAddress>): string {
    return nameUnit(address.unitId);
  }

  counters(): Readonly<Record<string, number>> {
    const { expected } = this.#transport;
    const counters = this.#line.counters();
    return expected === undefined ? counters : { ...counters, ...expected.counters() };
  }
}

function isConnectionRefused({ cause }: { readonly cause?: unknown }): boolean {
  // A name with several addresses fails once for each.
  const causes = cause instanceof AggregateError ? cause.errors : [cause];
  return causes.every((each) => (each as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED');
}

function toEntries({ address }: Channel<ModbusAddress>): EntryRange & { readonly unitId: number } {
  const { unitId, table } = address;
  return {
    unitId,
    functionCode: READ_FUNCTION[table],
    offset: locate(address),
    quantity: countEntries(address),
  };
}

/** Creates the driver type for Modbus devices. */
export const createModbusDriverFactory = (
  links: Links = systemLinks,
  ports = new ListenPorts(links.listenForDevices),
): DriverFactory<ModbusConfig, ModbusAddress> => ({
  type: 'modbus',
  configSchema,
  addressSchema,
  describe: describeEndpoint,
  // Host names are case-insensitive; the ports of TCP and UDP are unrelated.
  findExclusiveDevice: (config) =>
    'device' in config
      ? { name: config.device, isLine: true }
      : {
          name: `${config.transport === 'udp' ? 'udp ' : ''}${describeEndpoint(config).toLowerCase()}`,
          isLine: false,
        },
  checkChannel,
  rawNumberOf,
  probe: {
    description: createReason(MODBUS_TRACE_SENTENCES, 'PLANNED_ENTRIES', {
      unit: 1,
      table: 'HOLDING_REGISTERS',
      range: '0',
    }),
    valueType: 'INTEGER',
    address: addressSchema.parse({ unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' }),
  },
  discovery: {
    optionsSchema,
    fillSettings: nameAnyCaller,
    findSettings: (given, search: SettingsSearch<ScanOptions>) =>
      needsCaller(given)
        ? findCaller(given, search, ports)
        : findLineSettings(given, search, { links, ports }),
  },
  canAdapt: differsInUnitsOnly,
  create: (config, context) => new ModbusDriver(config, context, { links, ports }),
});

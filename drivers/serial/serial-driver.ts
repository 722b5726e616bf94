import { createReason } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { describeParts } from '../../daemon/channel/trace/tracing-driver.ts';
import { SERIAL_TRACE_SENTENCES } from './sentences/trace-sentences.ts';
import type { AdvisingDriver } from '../../daemon/channel/advising-driver.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { Proposal, ScanRun } from '../../daemon/channel/discovery.ts';
import type {
  DriverContext,
  DriverFactory,
  PreparedRead,
  ScanningDriver,
  SettingsSearch,
  UnitStatus,
} from '../../daemon/channel/driver.ts';
import type { PreparedWrites, WriteRequest } from '../../daemon/channel/write-step.ts';
import type { ByteLink } from '../link/byte-link.ts';
import { nameLine } from '../link/serial-device.ts';
import type { TracedFrame, TracingDriver } from '../../daemon/channel/trace/tracing-driver.ts';
import { LinkTap } from '../link/link-tap.ts';
import { systemLinks } from '../link/links.ts';
import type { Links } from '../link/links.ts';
import { MAXIMUM_QUOTED_BYTES, quoteBytes } from './byte-text.ts';
import { createChecksum } from './checksum.ts';
import type { Checksum } from './checksum.ts';
import { ChecksumGuess, describeChecksum } from './checksum-guess.ts';
import { checkChannel, rawNumberOf } from './check-channel.ts';
import { applyMeterFraming, isMeterFraming } from './meter/meter-framing.ts';
import { MeterRead } from './meter/meter-read.ts';
import { optionsSchema, proposeMeters, scanMeters } from './meter/meter-scan.ts';
import type { MeterScanOptions } from './meter/meter-scan.ts';
import { addMeterFraming, ONLY_METERS, searchMeters } from './meter/meter-search.ts';
import { addressSchema } from './serial-address.ts';
import type { SerialAddress } from './serial-address.ts';
import { configSchema } from './serial-config.ts';
import type { SerialConfig } from './serial-config.ts';
import type { LineOptions } from './line-calls.ts';
import { SerialLine } from './serial-line.ts';
import { SerialRead } from './serial-read.ts';
import { isSameText } from './binary-value.ts';
import { prepareWrites, refuseWrites } from './serial-write.ts';

/** Reads and writes the instrument on one serial line. */
class SerialDriver
  implements AdvisingDriver<SerialAddress>, ScanningDriver<SerialAddress>, TracingDriver<SerialAddress>
{
  readonly #config: SerialConfig;
  readonly #context: DriverContext;
  readonly #line: SerialLine;
  readonly #tap = new LinkTap();
  readonly #checksum: Checksum | undefined;
  /** Absent if the checksum is configured. */
  readonly #guess: ChecksumGuess | undefined;

  constructor(config: SerialConfig, context: DriverContext, links: Links) {
    const { clock } = context;
    const { checksum, dataBits } = config;
    this.#checksum = checksum === undefined ? undefined : createChecksum(checksum, dataBits);
    const guess = checksum === undefined && !isMeterFraming(config.framing) ? new ChecksumGuess() : undefined;
    this.#guess = guess;
    this.#config = config;
    this.#context = context;
    const onFrame = guess === undefined ? undefined : (frame: Buffer): void => guess.push(frame);
    this.#line = createLine(config, { context: { clock }, links: this.#tap.tapAll(links), onFrame });
  }

  trace(onFrame: ((frame: TracedFrame) => void) | undefined): void {
    this.#tap.listen(
      onFrame &&
        ((direction, shown) => {
          const bytes = Buffer.from(shown);
          onFrame({ direction, bytes, ...describeParts([explainText(bytes)]) });
        }),
    );
  }

  connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    return this.#line.connect(signal, onLost);
  }

  disconnect(): Promise<void> {
    return this.#line.disconnect();
  }

  prepareRead(channels: readonly Channel<SerialAddress>[]): PreparedRead {
    const { encoding, refuse, checksum, framing, responseTimeoutMs } = this.#config;
    const { clock } = this.#context;
    if (isMeterFraming(framing)) {
      return new MeterRead(channels, { line: this.#line, framing, responseTimeoutMs, clock });
    }
    return new SerialRead(channels, {
      line: this.#line,
      clock,
      encoding,
      checksum: this.#checksum,
      retries: checksum?.retries ?? 0,
      refuse,
    });
  }

  prepareWrite(requests: readonly WriteRequest<SerialAddress>[]): Promise<PreparedWrites> {
    const { encoding, refuse, framing } = this.#config;
    const { clock } = this.#context;
    if (isMeterFraming(framing)) return Promise.resolve(refuseWrites(requests));
    const options = { line: this.#line, encoding, checksum: this.#checksum, refuse, clock };
    return Promise.resolve(prepareWrites(requests, options));
  }

  async scan(options: MeterScanOptions, { signal, report, call }: ScanRun): Promise<Proposal> {
    const { framing, responseTimeoutMs } = this.#config;
    if (!isMeterFraming(framing)) return { assets: [], notes: [ONLY_METERS] };
    const { clock } = this.#context;
    const line = this.#line;
    return proposeMeters(
      await scanMeters({ line, framing, responseTimeoutMs, clock, options, report, signal, call }),
    );
  }

  // A text response is its own text.
  isSameText({ address }: Channel<SerialAddress>, shown: string, text: string): boolean | undefined {
    const { response } = address;
    if (response === undefined || !('dataType' in response)) return undefined;
    return isSameText(response, shown, text);
  }

  get isWarmingUp(): boolean {
    return false;
  }

  listAdvice(): readonly string[] {
    const setting = this.#guess?.find();
    if (setting === undefined) return [];
    return [
      `its frames carry a checksum: set checksum: ${describeChecksum(setting)}, so that damaged frames are no values`,
    ];
  }

  unitStatus(): readonly UnitStatus[] {
    return this.#line.unitStatus();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#line.counters();
  }
}

interface LineParts extends Pick<LineOptions, 'context' | 'onFrame'> {
  readonly links: Links;
}

function createLine(config: SerialConfig, { context, links, onFrame }: LineParts): SerialLine {
  const lineConfig = applyMeterFraming(config);
  const createLink = (): ByteLink => links.createSerial({ ...lineConfig, clock: context.clock });
  return new SerialLine({ createLink, config: lineConfig, context, onFrame });
}

/** Creates the driver type for instruments with a proprietary protocol over a serial line. */
export const createSerialDriverFactory = (
  links: Links = systemLinks,
): DriverFactory<SerialConfig, SerialAddress> => ({
  type: 'serial',
  configSchema,
  addressSchema,
  describe: ({ device }) => nameLine(device),
  findExclusiveDevice: ({ device }) => ({ name: device, isLine: true }),
  checkChannel,
  rawNumberOf,
  discovery: {
    optionsSchema,
    fillSettings: addMeterFraming,
    search: (given, search: SettingsSearch<MeterScanOptions>) =>
      searchMeters(given, search, (config) => createLine(config, { context: search.context, links })),
  },
  create: (config, context) => new SerialDriver(config, context, links),
});

function explainText(bytes: Buffer): FaultReason {
  const more = bytes.length - MAXIMUM_QUOTED_BYTES;
  const quoted = quoteBytes(bytes.subarray(0, MAXIMUM_QUOTED_BYTES));
  return more > 0
    ? createReason(SERIAL_TRACE_SENTENCES, 'TRACE_TEXT_AND_MORE', { quoted, more })
    : createReason(SERIAL_TRACE_SENTENCES, 'TRACE_TEXT', { quoted });
}

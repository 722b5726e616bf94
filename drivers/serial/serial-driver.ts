import type { AdvisingDriver } from '../../daemon/channel/advising-driver.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { DriverContext, DriverFactory, PreparedRead, UnitStatus } from '../../daemon/channel/driver.ts';
import type { PreparedWrites, WriteRequest } from '../../daemon/channel/write-step.ts';
import { nameLine } from '../link/serial-device.ts';
import { systemLinks } from '../link/links.ts';
import type { Links } from '../link/links.ts';
import { createChecksum } from './checksum.ts';
import type { Checksum } from './checksum.ts';
import { ChecksumGuess, describeChecksum } from './checksum-guess.ts';
import { checkChannel, rawNumberOf } from './check-channel.ts';
import { applyMeterFraming, isMeterFraming } from './meter/meter-framing.ts';
import { MeterRead } from './meter/meter-read.ts';
import { addressSchema } from './serial-address.ts';
import type { SerialAddress } from './serial-address.ts';
import { configSchema } from './serial-config.ts';
import type { SerialConfig } from './serial-config.ts';
import { SerialLine } from './serial-line.ts';
import { SerialRead } from './serial-read.ts';
import { isSameText } from './binary-value.ts';
import { prepareWrites, refuseWrites } from './serial-write.ts';

/** Reads and writes the instrument on one serial line. */
class SerialDriver implements AdvisingDriver<SerialAddress> {
  readonly #config: SerialConfig;
  readonly #context: DriverContext;
  readonly #line: SerialLine;
  readonly #checksum: Checksum | undefined;
  /** Absent if the checksum is configured. */
  readonly #guess: ChecksumGuess | undefined;

  constructor(config: SerialConfig, context: DriverContext, links: Links) {
    const { clock } = context;
    const { checksum, dataBits } = config;
    this.#checksum = checksum === undefined ? undefined : createChecksum(checksum, dataBits);
    const guess = checksum === undefined && !isMeterFraming(config.framing) ? new ChecksumGuess() : undefined;
    this.#guess = guess;
    const lineConfig = applyMeterFraming(config);
    this.#config = config;
    this.#context = context;
    this.#line = new SerialLine({
      createLink: () => links.createSerial({ ...lineConfig, clock }),
      config: lineConfig,
      context,
      onFrame: guess === undefined ? undefined : (frame) => guess.push(frame),
    });
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
  create: (config, context) => new SerialDriver(config, context, links),
});

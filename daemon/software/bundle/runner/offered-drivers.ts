import type { GatewayCallParams, WireChannel } from '../message/messages.ts';
import { fromWireValue, toWireValue } from '../message/wire-value.ts';
import type {
  BundleChannel,
  BundleDriver,
  BundleDriverFactory,
  BundleOutcome,
  BundleReading,
} from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

/** Driver types that the bundle registers, and the connections that the gateway has opened. */
export class OfferedDrivers {
  readonly #gateway: GatewayLink;
  readonly #factories = new Map<string, BundleDriverFactory>();
  readonly #drivers = new Map<number, BundleDriver>();

  constructor(gateway: GatewayLink) {
    this.#gateway = gateway;
  }

  async register(factory: BundleDriverFactory): Promise<void> {
    const { type, settings, address } = factory;
    // Added before the call: the gateway may open a connection at once.
    if (this.#factories.has(type)) throw new Error(`driver "${type}" is already registered`);
    this.#factories.set(type, factory);
    try {
      await this.#gateway.call('driver.register', { type, settings, address });
    } catch (error) {
      this.#factories.delete(type);
      throw error;
    }
  }

  async connect(
    { instance, type, settings }: GatewayCallParams['driver.connect'],
    signal: AbortSignal,
  ): Promise<void> {
    const factory = this.#factories.get(type);
    if (factory === undefined) throw new Error(`the bundle has no driver "${type}"`);
    await this.disconnect({ instance });
    const driver = factory.create(settings as Readonly<Record<string, unknown>>, (error) =>
      this.#gateway.notify('driver.lost', { instance, message: error.message.slice(0, 1000) }),
    );
    await driver.connect?.(signal);
    this.#drivers.set(instance, driver);
  }

  async disconnect({ instance }: GatewayCallParams['driver.disconnect']): Promise<void> {
    const driver = this.#drivers.get(instance);
    this.#drivers.delete(instance);
    await driver?.disconnect?.();
  }

  async read(
    { instance, channels }: GatewayCallParams['driver.read'],
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const readings = await this.#get(instance).read(channels.map(toBundleChannel), signal);
    return readings.map((reading) => toWireReading(reading));
  }

  async write(
    { instance, requests }: GatewayCallParams['driver.write'],
    signal: AbortSignal,
  ): Promise<readonly BundleOutcome[]> {
    const driver = this.#get(instance);
    if (driver.write === undefined) {
      const failure = { code: 'WRITE_NOT_SUPPORTED', message: 'the driver does not support writing' };
      return requests.map(() => ({ failure, outcome: 'NOT_SENT' }));
    }
    const plain = requests.map(({ channel, value }) => ({
      channel: toBundleChannel(channel),
      value: fromWireValue(value),
    }));
    return driver.write(plain, signal);
  }

  #get(instance: number): BundleDriver {
    const driver = this.#drivers.get(instance);
    if (driver === undefined) throw new Error('the connection is closed');
    return driver;
  }
}

function toBundleChannel({ name, valueType, address }: WireChannel): BundleChannel {
  return { name, valueType, address: address as BundleChannel['address'] };
}

function toWireReading({ value, failure, timestampMs, quality, status }: BundleReading): unknown {
  const time = timestampMs === undefined ? {} : { timestampMs };
  if (failure !== undefined) return { failure, ...time };
  if (value === undefined) {
    return { failure: { code: 'DRIVER_FAULT', message: 'the driver returned no value' }, ...time };
  }
  return { value: toWireValue(value), ...time, quality, status };
}

import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

import type { MessageHandler } from '../message/message-peer.ts';
import type {
  ActivationContext,
  GatewayCallParams,
  GatewayNotificationParams,
  WireRecord,
} from '../message/messages.ts';
import { fromWireValue, toWireValue } from '../message/wire-value.ts';
import type { PlainValue, WireValue } from '../message/wire-value.ts';
import type {
  BundleAssets,
  BundleContext,
  BundleLogFields,
  BundleLogger,
  BundleModule,
  PlainRecord,
} from './context.ts';
import type { GatewayLink } from './gateway-link.ts';
import { createJournal } from './journal.ts';
import { OfferedDrivers } from './offered-drivers.ts';
import { OfferedProviders } from './offered-providers.ts';
import { ReceivedSettings } from './settings.ts';
import { StatusSender } from './status-sender.ts';

/** Protocol version. `PROTOCOL_VERSION` is not imported because its module loads more than this process needs. */
const SUPPORTED_VERSION = 2;
/** Version of `BundleContext`. */
const INTERFACE_VERSION = 2;

/** Loads the main module of the bundle, and forwards calls of the gateway to its drivers and providers. */
export class BundleRuntime implements MessageHandler {
  readonly #gateway: GatewayLink;
  readonly #drivers: OfferedDrivers;
  readonly #providers: OfferedProviders;
  readonly #status: StatusSender;
  #settings = new ReceivedSettings({});
  #module: BundleModule | undefined;

  constructor(gateway: GatewayLink) {
    this.#gateway = gateway;
    this.#drivers = new OfferedDrivers(gateway);
    this.#providers = new OfferedProviders(gateway);
    this.#status = new StatusSender(gateway);
  }

  async onCall(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const calls: {
      readonly [M in keyof GatewayCallParams]: (given: GatewayCallParams[M]) => Promise<unknown>;
    } = {
      activate: (given) => this.#activate(given),
      deactivate: () => this.#deactivate(),
      ping: () => Promise.resolve(),
      'settings.changed': ({ settings }) => this.#settings.change(settings),
      'driver.connect': (given) => this.#drivers.connect(given, signal),
      'driver.disconnect': (given) => this.#drivers.disconnect(given),
      'driver.read': (given) => this.#drivers.read(given, signal),
      'driver.write': (given) => this.#drivers.write(given, signal),
      'provider.authenticate': (given) => this.#providers.authenticate(given),
    };
    const serve = calls[method as keyof GatewayCallParams] as (given: unknown) => Promise<unknown>;
    return serve(params);
  }

  onNotification(method: string, params: unknown): void {
    const { provider } = params as GatewayNotificationParams[keyof GatewayNotificationParams];
    if (method === 'provider.enabled') this.#providers.notify(provider, 'onEnabled');
    if (method === 'provider.disabled') this.#providers.notify(provider, 'onDisabled');
  }

  async #activate({ protocol, context }: GatewayCallParams['activate']): Promise<void> {
    if (protocol !== SUPPORTED_VERSION)
      throw new Error(`version ${protocol} of the protocol is not supported`);
    const module = (await import(pathToFileURL(context.main).href)) as Partial<BundleModule>;
    if (typeof module.activate !== 'function') throw new TypeError('the main module exports no activate');
    this.#module = module as BundleModule;
    this.#settings = new ReceivedSettings(context.settings);
    await module.activate(this.#createContext(context));
  }

  // Concurrent: a provider that does not settle must not use up the time of `deactivate`.
  async #deactivate(): Promise<void> {
    const settled = this.#providers.settle();
    try {
      await this.#module?.deactivate?.();
    } finally {
      await settled;
    }
  }

  #createContext({ name, version, directory, dataDirectory, gateway }: ActivationContext): BundleContext {
    return {
      bundle: { name, version, directory, dataDirectory },
      interfaceVersion: INTERFACE_VERSION,
      gateway,
      logger: createLogger(this.#gateway),
      assets: createAssets(this.#gateway),
      settings: this.#settings,
      status: (report) => this.#status.report(report),
      journal: (recorder) => createJournal(this.#gateway, recorder),
      declareRecorders: async (recorders) => {
        await this.#gateway.call('journal.declare', { recorders: [...recorders] });
      },
      registerDriver: (factory) => this.#drivers.register(factory),
      registerAuthenticationProvider: (provider) => this.#providers.register(provider),
    };
  }
}

function createLogger(gateway: GatewayLink): BundleLogger {
  const write =
    (level: keyof BundleLogger) => (message: unknown, fields?: Readonly<Record<string, unknown>>) =>
      gateway.notify('log', { level, message: String(message), fields: toScalars(fields) });
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

// A notification that does not match its schema would end the bundle, so its fields are converted.
function toScalars(fields: Readonly<Record<string, unknown>> | undefined): BundleLogFields | undefined {
  if (fields === undefined) return undefined;
  const entries = Object.entries(fields).map(([name, value]) => {
    const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean';
    const text = typeof value === 'string' ? value : inspect(value);
    return [name.slice(0, 64), isPlain ? value : text.slice(0, 1000)] as const;
  });
  return Object.fromEntries(entries.slice(0, 32));
}

function createAssets(gateway: GatewayLink): BundleAssets {
  return {
    async read(asset, channels) {
      const list = channels === undefined ? undefined : [...channels];
      return toRecords(await gateway.call('assets.read', { asset, channels: list }));
    },
    async write(asset, channels, { key } = {}) {
      const list = channels.map(({ name, type, value, ifValue }) => ({
        name,
        type,
        value: toWireValue(value),
        ...(ifValue === undefined ? {} : { ifValue: toWireValue(ifValue) }),
      }));
      return toRecords(await gateway.call('assets.write', { asset, channels: list, key }));
    },
  };
}

function toRecords(answer: unknown): readonly PlainRecord[] {
  return (answer as readonly WireRecord[]).map((record) => ({
    name: record.name,
    valueType: record.valueType,
    value: toPlain(record.value),
    requestedValue: toPlain(record.requestedValue),
    timestampMs: record.timestampMs,
    quality: record.quality,
    statusCode: record.statusCode,
    outcome: record.outcome,
    readBack: toPlain(record.readBack),
    failure: record.failure,
  }));
}

function toPlain(value: WireValue | undefined): PlainValue | undefined {
  return value === undefined ? undefined : fromWireValue(value);
}

import type { Channel } from '../../daemon/channel/channel.ts';
import type {
  DriverContext,
  DriverFactory,
  PreparedRead,
  SubscribeOptions,
  SubscribingDriver,
  UnitStatus,
  WriteOutcome,
  WriteRequest,
} from '../../daemon/channel/driver.ts';
import { checkChannel } from './check-channel.ts';
import { equipFromMachine } from './equipment.ts';
import type { Equip } from './equipment.ts';
import { addressSchema } from './opcua-address.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import { configSchema } from './opcua-config.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import { OpcuaLink } from './opcua-link.ts';
import { OpcuaRead } from './opcua-read.ts';
import type { OpcuaSession } from './opcua-session.ts';
import { OpcuaSubscription } from './opcua-subscription.ts';
import { writeChannels } from './opcua-write.ts';
import { PublishLoop } from './publish-loop.ts';

/** Reads and writes the nodes of one OPC UA server. */
class OpcuaDriver implements SubscribingDriver<OpcuaAddress> {
  readonly #config: OpcuaConfig;
  readonly #context: DriverContext;
  readonly #link: OpcuaLink;
  #publishing: { readonly session: OpcuaSession; readonly loop: PublishLoop } | undefined;

  constructor(config: OpcuaConfig, context: DriverContext, equip: Equip) {
    this.#config = config;
    this.#context = context;
    this.#link = new OpcuaLink(config, context, equip);
  }

  connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    return this.#link.connect(signal, onLost);
  }

  disconnect(): Promise<void> {
    return this.#link.disconnect();
  }

  prepareRead(channels: readonly Channel<OpcuaAddress>[]): PreparedRead {
    return new OpcuaRead(channels, { link: this.#link, config: this.#config, clock: this.#context.clock });
  }

  write(
    requests: readonly WriteRequest<OpcuaAddress>[],
    signal: AbortSignal,
  ): Promise<readonly WriteOutcome[]> {
    return writeChannels(requests, { link: this.#link, clock: this.#context.clock, signal });
  }

  async subscribe(subscribe: SubscribeOptions<OpcuaAddress>): Promise<void> {
    const session = this.#link.getSession();
    // All subscriptions of a session share its requests for notifications.
    if (this.#publishing?.session !== session) this.#publishing = { session, loop: new PublishLoop(session) };
    const { loop } = this.#publishing;
    this.#link.status.count('subscriptions');
    const { clock, logger } = this.#context;
    await new OpcuaSubscription({ session, loop, config: this.#config, clock, logger, subscribe }).begin();
  }

  unitStatus(): readonly UnitStatus[] {
    return this.#link.status.unitStatus();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#link.status.counters();
  }
}

/** Creates the kind of driver for OPC UA servers. */
export const createOpcuaDriverFactory = (
  equip: Equip = equipFromMachine,
): DriverFactory<OpcuaConfig, OpcuaAddress> => ({
  type: 'opcua',
  configSchema,
  addressSchema,
  describe: ({ endpointUrl }) => endpointUrl,
  checkChannel,
  // Every server has the variable Server_ServerStatus_BuildInfo_ProductName (OPC 10000-5, 6.3.1).
  probe: {
    description: 'the name of the server (i=2261)',
    valueType: 'STRING',
    address: addressSchema.parse({ nodeId: 'i=2261' }),
  },
  create: (config, context) => new OpcuaDriver(config, context, equip),
});

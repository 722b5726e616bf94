import { createReason } from '../../daemon/base/fault-reason.ts';
import { OPCUA_TRACE_SENTENCES } from './trace-sentences.ts';
import { Semaphore } from '../../daemon/base/sharing/semaphore.ts';
import type {
  BrowseFailure,
  BrowseOptions,
  BrowsePage,
  BrowsingDriver,
} from '../../daemon/channel/browsing-driver.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { Proposal, ScanRun } from '../../daemon/channel/discovery.ts';
import type {
  DriverContext,
  DriverFactory,
  PreparedRead,
  ScanningDriver,
  SubscribeOptions,
  SubscribingDriver,
  UnitStatus,
} from '../../daemon/channel/driver.ts';
import type { PreparedWrites, WriteRequest } from '../../daemon/channel/write-step.ts';
import type {
  DescribedCertificate,
  PresentedCertificate,
  TrustingDriver,
} from '../../daemon/channel/trusting-driver.ts';
import type { AccessReportingDriver, DeviceAccess } from '../../daemon/channel/access-reporting-driver.ts';
import type { TracedFrame, TracingDriver } from '../../daemon/channel/trace/tracing-driver.ts';
import { browseNode } from './browse/browse.ts';
import { checkChannel, rawNumberOf } from './check-channel.ts';
import { describeCertificate } from './trust/described-certificate.ts';
import { findDeviceAccess, loadDeviceAccess } from './browse/device-access.ts';
import { createSystemClientStack } from './browse/client-stack.ts';
import type { ClientStackFactory } from './browse/client-stack.ts';
import { addressSchema } from './opcua-address.ts';
import type { OpcuaAddress } from './opcua-address.ts';
import { configSchema } from './opcua-config.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import { findOpcuaSettings } from './browse/find-settings.ts';
import { OpcuaLink } from './session/opcua-link.ts';
import { OpcuaRead } from './opcua-read.ts';
import { SubscriptionPool } from './subscribe/subscription-pool.ts';
import { prepareWrites } from './write/opcua-write.ts';
import { isSameText } from './value/same-text.ts';
import { ReferencePager } from './browse/references.ts';
import { scanAddressSpace, scanOptionsSchema } from './browse/scan-address-space.ts';
import { ServiceTrace } from './transport/service-trace.ts';
import { describeServer, trustServer } from './trust/server-trust.ts';
import { distrustCertificate } from './trust/trust-directory.ts';

/** Reads and writes the nodes of one OPC UA server. */
class OpcuaDriver
  implements
    SubscribingDriver<OpcuaAddress>,
    BrowsingDriver<OpcuaAddress>,
    ScanningDriver<OpcuaAddress>,
    TrustingDriver<OpcuaAddress>,
    AccessReportingDriver<OpcuaAddress>,
    TracingDriver<OpcuaAddress>
{
  readonly #config: OpcuaConfig;
  readonly #context: DriverContext;
  readonly #link: OpcuaLink;
  readonly #pager: ReferencePager;
  readonly #trace: ServiceTrace;
  readonly #learning = new Semaphore({ permits: 1 });
  #subscriptions: SubscriptionPool | undefined;

  constructor(config: OpcuaConfig, context: DriverContext, equip: ClientStackFactory) {
    this.#config = config;
    this.#context = context;
    this.#trace = new ServiceTrace(context.clock);
    this.#link = new OpcuaLink(config, context, this.#trace.watch(equip));
    this.#pager = new ReferencePager(context.clock);
  }

  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    await this.#link.connect(signal, onLost);
    const session = this.#link.findSession();
    // At once: until they continue, the server may drop what it has stored for them.
    if (session !== undefined && this.#subscriptions?.resume(session) === false)
      this.#subscriptions = undefined;
  }

  disconnect(): Promise<void> {
    return this.#link.disconnect();
  }

  prepareRead(channels: readonly Channel<OpcuaAddress>[]): PreparedRead {
    return new OpcuaRead(channels, { link: this.#link, config: this.#config, clock: this.#context.clock });
  }

  prepareWrite(
    requests: readonly WriteRequest<OpcuaAddress>[],
    signal: AbortSignal,
  ): Promise<PreparedWrites> {
    return prepareWrites(requests, { link: this.#link, clock: this.#context.clock }, signal);
  }

  isSameText(channel: Channel<OpcuaAddress>, shown: string, text: string): boolean | undefined {
    const session = this.#link.findSession();
    return session === undefined ? undefined : isSameText(channel, shown, text, session);
  }

  findDeviceAccess(channel: Channel<OpcuaAddress>): DeviceAccess | undefined {
    const session = this.#link.findSession();
    return session === undefined ? undefined : findDeviceAccess(session, channel);
  }

  async learnDeviceAccess(channels: readonly Channel<OpcuaAddress>[], signal: AbortSignal): Promise<void> {
    // One at a time: concurrent callers then find the access rights cached and do not take capacity from reads.
    await this.#learning.run(signal, () =>
      loadDeviceAccess(channels, { link: this.#link, session: this.#link.getSession(), signal }),
    );
  }

  async subscribe(subscribe: SubscribeOptions<OpcuaAddress>): Promise<void> {
    const session = this.#link.getSession();
    if (this.#subscriptions === undefined) {
      const { clock, logger } = this.#context;
      const onCreate = (): void => this.#link.status.count('subscriptions');
      this.#subscriptions = new SubscriptionPool({ session, config: this.#config, clock, logger, onCreate });
    }
    await this.#subscriptions.subscribe(subscribe);
  }

  browse(options: BrowseOptions): Promise<BrowsePage | BrowseFailure> {
    return browseNode(options, this.#link, this.#pager);
  }

  scan(options: unknown, run: ScanRun): Promise<Proposal> {
    const pager = new ReferencePager(this.#context.clock);
    return scanAddressSpace({
      link: this.#link,
      pager,
      config: this.#config,
      options: scanOptionsSchema.parse(options),
      run,
    });
  }

  findCertificate(signal: AbortSignal): Promise<PresentedCertificate> {
    return this.#link.withServerAccess(signal, describeServer);
  }

  trust(fingerprint: string, signal: AbortSignal): Promise<PresentedCertificate> {
    return this.#link.withServerAccess(signal, (access) => trustServer(fingerprint, access));
  }

  async distrust(fingerprint: string): Promise<DescribedCertificate> {
    return describeCertificate(await distrustCertificate(this.#context.dataDirectory, fingerprint));
  }

  trace(onFrame: ((frame: TracedFrame) => void) | undefined): void {
    this.#trace.follow(onFrame);
  }

  unitStatus(): readonly UnitStatus[] {
    return this.#link.status.unitStatus();
  }

  counters(): Readonly<Record<string, number>> {
    return this.#link.status.counters();
  }
}

/** Creates the driver type for OPC UA servers. */
export const createOpcuaDriverFactory = (
  equip: ClientStackFactory = createSystemClientStack,
): DriverFactory<OpcuaConfig, OpcuaAddress> => ({
  type: 'opcua',
  configSchema,
  addressSchema,
  describe: ({ endpointUrl }) => endpointUrl,
  checkChannel,
  rawNumberOf,
  // Every server has the variable Server_ServerStatus_BuildInfo_ProductName (OPC 10000-5, 6.3.1).
  probe: {
    description: createReason(OPCUA_TRACE_SENTENCES, 'TEST_SERVER_NAME', {}),
    valueType: 'STRING',
    address: addressSchema.parse({ nodeId: 'i=2261' }),
  },
  discovery: {
    optionsSchema: scanOptionsSchema,
    findSettings: (given, search) => findOpcuaSettings(given, search, equip),
  },
  create: (config, context) => new OpcuaDriver(config, context, equip),
});

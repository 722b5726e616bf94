import type { openMqttLink } from '../../bundles/mqtt/broker/mqtt-link.ts';
import { Sender } from '../../bundles/penstock-mqtt/delivery/sender.ts';
import { readSettings as readMqttSettings } from '../../bundles/penstock-mqtt/settings.ts';
import { SenderStatus } from '../../bundles/penstock-mqtt/status.ts';
import { EdgeNode } from '../../bundles/penstock-sparkplug/delivery/edge-node.ts';
import { readSettings as readSparkplugSettings } from '../../bundles/penstock-sparkplug/settings.ts';
import { NodeStatus } from '../../bundles/penstock-sparkplug/status.ts';
import { declareSettings as declareMqttSettings } from '../bundles/penstock-mqtt/declared-settings.ts';
import { declareSettings as declareSparkplugSettings } from '../bundles/penstock-sparkplug/declared-settings.ts';
import { MadeUpJournal } from './made-up-journal.ts';
import type { OutageClock } from './outage-clock.ts';

/** Packages whose senders a fleet can have. */
export const PROTOCOLS = ['mqtt', 'sparkplug'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Group of the edge nodes of a fleet. */
export const GROUP = 'Fleet';

export interface GatewayOptions {
  readonly protocol: Protocol;
  readonly brokerPort: number;
  readonly channels: number;
  readonly intervalMs: number;
  /** Settings of the bundle beyond broker and recorder. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly clock: OutageClock;
  readonly openLink: typeof openMqttLink;
}

/** A gateway with a made-up journal. */
export interface Gateway {
  readonly name: string;
  readonly journal: MadeUpJournal;
  readonly sender: { start(): void; readonly levels: { readonly backlog: number } };
}

/** Creates a gateway that is not connected. */
export function createGateway(name: string, options: GatewayOptions): Gateway {
  const { protocol, brokerPort, channels, intervalMs, settings, clock } = options;
  // Sparkplug has no sequence numbers of samples.
  const isNumbered = protocol === 'sparkplug';
  const journal = new MadeUpJournal({ channels, intervalMs, time: clock, isNumbered });
  const brokers = [`mqtt://127.0.0.1:${brokerPort}`];
  const declared = { brokers, recorders: ['second'], ...settings };
  const sender =
    protocol === 'sparkplug'
      ? createEdgeNode(name, { ...options, journal, declared: { groupId: GROUP, ...declared } })
      : createSender(name, { ...options, journal, declared });
  return { name, journal, sender };
}

type SenderOptions = Pick<GatewayOptions, 'clock' | 'openLink'> & {
  readonly journal: MadeUpJournal;
  readonly declared: Readonly<Record<string, unknown>>;
};

function createSender(gateway: string, { journal, declared, clock, openLink }: SenderOptions): Sender {
  return new Sender(
    {
      gateway,
      journal: () => journal,
      status: new SenderStatus(),
      time: clock,
      openLink,
      onCommand: () => {},
    },
    readMqttSettings(declareMqttSettings(declared), gateway),
  );
}

function createEdgeNode(gateway: string, { journal, declared, clock, openLink }: SenderOptions): EdgeNode {
  const note = (): void => {};
  let bdSeq = -1;
  return new EdgeNode(
    {
      gateway,
      version: '1.0.0',
      journal: () => journal,
      // Births have no values: what a ledger receives as data was recorded.
      assets: { read: () => Promise.resolve([]), write: () => Promise.resolve([]) },
      births: { next: () => (bdSeq = (bdSeq + 1) % 256) },
      status: new NodeStatus(),
      logger: { debug: note, info: note, warn: note, error: note },
      time: clock,
      epochMs: () => clock.nowMs(),
      openLink,
    },
    readSparkplugSettings(declareSparkplugSettings(declared), gateway),
  );
}

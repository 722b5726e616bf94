import { LinkEnded, MessageRefused } from '../../mqtt/broker/broker-link.ts';
import type { BrokerLink } from '../../mqtt/broker/broker-link.ts';
import { PACKET_TOO_LARGE } from '../../mqtt/broker/reason-codes.ts';
import type { CurrentValues } from '../node/current-values.ts';
import type { DefinedDevice, DefinedMetric, NodeDefinition } from '../node/node-definition.ts';
import { makeNodeDeath, NodeSession } from '../node/node-session.ts';
import type { NodeMessage, NodeSessionOptions } from '../node/node-session.ts';
import type { Verb } from '../node/topics.ts';
import { QUALITY } from '../payload/data-type.ts';
import type { NodeStatus } from '../status.ts';
import type { SampleGroup } from './batch-samples.ts';

export interface NodeLinkOptions extends NodeSessionOptions {
  readonly link: BrokerLink;
  readonly values: CurrentValues;
  readonly status: NodeStatus;
  readonly onRefused: (reason: string) => void;
  /** Milliseconds since the epoch. */
  readonly epochMs: () => number;
}

/** Room for header and topic of a packet. */
const PACKET_MARGIN_BYTES = 256;

/**
 * An edge node on a connection: messages are made and written in one turn, so that their sequence numbers are those of the order in
 * which their bytes are written.
 */
export class NodeLink {
  readonly #options: NodeLinkOptions;
  readonly #session: NodeSession;
  /** Recorders that have not caught up: no device dies before, since its history could not be sent then. */
  readonly #catchingUp = new Set<string>();

  constructor(options: NodeLinkOptions) {
    this.#options = options;
    this.#session = new NodeSession({
      ...options,
      fits: (topic, payload) =>
        payload.byteLength + topic.length * 3 + PACKET_MARGIN_BYTES <= options.link.maximumPacketBytes,
      onTooLarge: (verb, topic) => this.#refuse(verb, new MessageRefused(topic, PACKET_TOO_LARGE)),
    });
  }

  /** Maximum size of the values of a message. */
  get maximumBytes(): number {
    return this.#options.link.maximumPacketBytes - PACKET_MARGIN_BYTES;
  }

  get isBorn(): boolean {
    return this.#session.isBorn;
  }

  get definition(): NodeDefinition {
    return this.#session.definition;
  }

  /** Sends a complete birth. Resolves when it has arrived. */
  birth(definition: NodeDefinition): Promise<void> {
    const { values, status, epochMs } = this.#options;
    status.count('births');
    return this.#write(this.#session.birth(definition, (metric) => values.find(metric), epochMs()));
  }

  /** Sends samples of the time before the connection. Resolves when they have arrived. */
  sendHistory({ device, samples }: SampleGroup): Promise<void> {
    const { status, epochMs } = this.#options;
    const messages = this.#session.data(device, samples, true, epochMs());
    if (messages.length > 0) status.count('historicalSamples', countTaken(samples));
    return this.#write(messages);
  }

  /**
   * Sends samples as they are taken, with the birth of a device that is back, or the death of one that can no longer be reached.
   * Resolves when they have arrived.
   */
  async sendLive({ device, samples }: SampleGroup): Promise<void> {
    const { values, status, epochMs } = this.#options;
    const nowMs = epochMs();
    const isBack = samples.some(({ metric, quality }) => isTaken(metric) && quality !== QUALITY.BAD);
    const births = isBack ? this.#session.deviceBirth(device, (metric) => values.find(metric), nowMs) : [];
    const data = this.#session.data(device, samples, false, nowMs);
    for (const sample of samples) values.put(sample);
    if (data.length > 0) status.count('samples', countTaken(samples));
    await this.#write([...births, ...data, ...(isBack ? [] : this.#makeDeath(device, nowMs))]);
  }

  /** Records that a recorder has older samples to send. */
  beginHistory(recorder: string): void {
    this.#catchingUp.add(recorder);
  }

  /** Records that a recorder has sent its older samples. Resolves when the deaths that have waited for it have arrived. */
  endHistory(recorder: string): Promise<void> {
    this.#catchingUp.delete(recorder);
    const nowMs = this.#options.epochMs();
    return this.#write([...this.definition.keys()].flatMap((device) => this.#makeDeath(device, nowMs)));
  }

  /** Sends the death of the node. Resolves when the broker has it. */
  async die(): Promise<void> {
    const { link, name, bdSeq, epochMs } = this.#options;
    const { topic, payload } = makeNodeDeath(name, bdSeq, epochMs());
    await link.publish({ topic, payload, qos: 1 });
  }

  #makeDeath(id: string, nowMs: number): readonly NodeMessage[] {
    const device: DefinedDevice | undefined = this.definition.get(id);
    if (device === undefined || this.#catchingUp.size > 0 || !this.#options.values.isDown(device)) return [];
    return this.#session.deviceDeath(id, nowMs);
  }

  /** @throws {LinkEnded} if the connection ends before all of them have arrived */
  async #write(messages: readonly NodeMessage[]): Promise<void> {
    await Promise.all(messages.map((message) => this.#publish(message)));
  }

  async #publish({ topic, payload, verb }: NodeMessage): Promise<void> {
    const { link, status } = this.#options;
    try {
      // Written in this turn: nothing may be awaited before.
      await link.publish({ topic, payload, qos: 0 });
      status.count('messages');
    } catch (error) {
      if (error instanceof LinkEnded) throw error;
      this.#refuse(verb, error);
    }
  }

  /** Notes a message that would be refused again: what follows goes on without it. */
  #refuse(verb: Verb, error: unknown): void {
    const { status, onRefused } = this.#options;
    status.count('refusedMessages');
    onRefused(`${verb}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function countTaken(samples: SampleGroup['samples']): number {
  return samples.filter(({ metric }) => isTaken(metric)).length;
}

/** True if a sample was taken: a row of a data set is made of others. */
function isTaken({ columns }: DefinedMetric): boolean {
  return columns === undefined;
}

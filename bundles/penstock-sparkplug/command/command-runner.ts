import { createHash } from 'node:crypto';

import type { BundleAssets, BundleLogger } from '../../../daemon/software/bundle/runner/context.ts';
import type { IncomingMessage } from '../../mqtt/broker/broker-link.ts';
import type { NodeDefinition } from '../node/node-definition.ts';
import { REBIRTH_METRIC } from '../node/node-session.ts';
import { parseCommandTopic } from '../node/topics.ts';
import type { EdgeNodeName } from '../node/topics.ts';
import { decodePayload } from '../payload/payload-reader.ts';
import type { IncomingPayload } from '../payload/payload-reader.ts';
import type { NodeStatus } from '../status.ts';
import { readDeviceCommand } from './device-command.ts';
import type { CommandWrite } from './device-command.ts';

export interface CommandRunnerOptions {
  readonly name: EdgeNodeName;
  readonly maximumAgeMs: number;
  readonly definition: () => NodeDefinition;
  readonly requestRebirth: () => void;
  readonly assets: Pick<BundleAssets, 'write'>;
  readonly status: NodeStatus;
  readonly logger: BundleLogger;
  /** Milliseconds since the epoch. */
  readonly epochMs: () => number;
}

/** Commands that wait while another one is carried out; further ones are refused. */
const MAXIMUM_WAITING = 16;
/** Largest payload of a command. */
const MAXIMUM_BYTES = 65_536;

/**
 * Carries out commands: a request for a rebirth at once, writes one command after the other.
 *
 * Sparkplug has no response to a command. Its outcome is in the audit of the gateway, and a failure in status and log.
 */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  /** Resolves when no command is being carried out. */
  async settle(): Promise<void> {
    await this.#last;
  }

  /** Takes a message on a topic of commands; never throws. */
  accept({ topic, payload, isRetained }: IncomingMessage): void {
    const { name, status } = this.#options;
    const target = parseCommandTopic(name, topic);
    if (target === undefined) return;
    status.count('commands');
    const place = target.verb === 'NCMD' ? 'NCMD' : `DCMD for ${JSON.stringify(target.device)}`;
    // A broker sends a retained message to each new connection.
    if (isRetained) return this.#refuse(place, 'it is retained');
    if (payload.byteLength > MAXIMUM_BYTES)
      return this.#refuse(place, `it has more than ${MAXIMUM_BYTES} bytes`);
    const decoded = decodePayload(payload);
    if ('fault' in decoded) return this.#refuse(place, decoded.fault);
    if (target.verb === 'NCMD') return this.#acceptNodeCommand(decoded);
    this.#acceptDeviceCommand(target.device, decoded, { topic, payload }, place);
  }

  #acceptNodeCommand({ metrics }: IncomingPayload): void {
    for (const { name, value } of metrics) {
      if (name !== REBIRTH_METRIC)
        this.#refuse('NCMD', `the metric ${JSON.stringify(name?.slice(0, 80) ?? '')} is unknown`);
      else if (value?.kind === 'BOOLEAN' && value.value) this.#options.requestRebirth();
    }
  }

  #acceptDeviceCommand(
    device: string,
    decoded: IncomingPayload,
    message: Pick<IncomingMessage, 'topic' | 'payload'>,
    place: string,
  ): void {
    const { definition, epochMs, maximumAgeMs } = this.#options;
    const command = readDeviceCommand(decoded, definition().get(device), { nowMs: epochMs(), maximumAgeMs });
    if ('refusal' in command) return this.#refuse(place, command.refusal);
    if (this.#waiting >= MAXIMUM_WAITING)
      return this.#refuse(place, `${MAXIMUM_WAITING} commands wait already`);
    this.#waiting += 1;
    // The same message that comes twice is carried out once: its time is part of it.
    const key = createHash('sha256').update(`${message.topic}\0`).update(message.payload).digest('hex');
    this.#last = this.#last
      .then(async () => this.#write(device, command.writes, key, place))
      .finally(() => (this.#waiting -= 1));
  }

  async #write(device: string, writes: readonly CommandWrite[], key: string, place: string): Promise<void> {
    const { assets, status } = this.#options;
    try {
      const records = await assets.write(device, writes, { key });
      const failed = records.find(({ failure }) => failure !== undefined);
      if (failed === undefined) {
        status.count('writes', records.length);
        status.setCommandFault(undefined);
        return;
      }
      const { name, outcome = 'UNKNOWN', failure } = failed;
      this.#refuse(place, `${name} ${outcome}: ${failure?.code} ${failure?.message}`);
    } catch (error) {
      this.#refuse(place, error instanceof Error ? error.message : String(error));
    }
  }

  #refuse(place: string, reason: string): void {
    const { status, logger } = this.#options;
    status.count('commandErrors');
    status.setCommandFault({
      en: `${place} was not carried out: ${reason}`,
      de: `${place} wurde nicht ausgeführt: ${reason}`,
    });
    logger.warn(`${place} was not carried out: ${reason}`);
  }
}

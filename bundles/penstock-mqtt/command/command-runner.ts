import { LinkEnded, MessageRefused } from '../../mqtt/broker/broker-link.ts';
import type { IncomingMessage } from '../../mqtt/broker/broker-link.ts';
import type { CommandConnection } from '../delivery/sender.ts';
import type { SenderStatus } from '../status.ts';
import { parseCommand } from './command.ts';
import type { Command, CommandWrite, ParsedCommand } from './command.ts';
import { formatResponse } from './response.ts';
import type { CommandRecord, CommandResult } from './response.ts';

/** Assets of the gateway. */
export interface CommandAssets {
  read(asset: string, channels?: readonly string[]): Promise<readonly CommandRecord[]>;
  write(
    asset: string,
    writes: readonly CommandWrite[],
    options?: { readonly key?: string | undefined },
  ): Promise<readonly CommandRecord[]>;
}

export interface CommandRunnerOptions {
  readonly gateway: string;
  readonly assets: CommandAssets;
  readonly status: SenderStatus;
}

/** Commands that wait while another one is carried out; further ones are refused. */
const MAXIMUM_WAITING = 16;
/** Room for header, topic and properties of a packet. */
const PACKET_MARGIN_BYTES = 2048;

/** Carries out commands one after the other, in the order in which they came, and responds to each. */
export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  /** Queues a command; never throws. */
  accept(message: IncomingMessage, connection: CommandConnection): void {
    const { status } = this.#options;
    status.count('commands');
    const parsed = parseCommand(message, connection);
    if (this.#waiting >= MAXIMUM_WAITING) {
      const error = { code: 'COMMAND_BUSY', message: `${MAXIMUM_WAITING} commands wait already` };
      void this.#respond(parsed, { error }, connection);
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last
      .then(async () => this.#respond(parsed, await this.#execute(parsed), connection))
      .finally(() => (this.#waiting -= 1));
  }

  async #execute(parsed: ParsedCommand): Promise<CommandResult> {
    if ('refusal' in parsed) return { error: parsed.refusal };
    try {
      return { records: await this.#carryOut(parsed.command) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { error: { code: findCode(error) ?? 'COMMAND_FAILED', message } };
    }
  }

  #carryOut(command: Command): Promise<readonly CommandRecord[]> {
    const { assets } = this.#options;
    if ('channels' in command) return assets.read(command.asset, command.channels);
    const { asset, writes, key } = command;
    return assets.write(asset, writes, key === undefined ? {} : { key });
  }

  async #respond(
    { replyTo, ...parsed }: ParsedCommand,
    result: CommandResult,
    connection: CommandConnection,
  ): Promise<void> {
    const { gateway, status } = this.#options;
    const { link, window, signal } = connection;
    if ('error' in result) status.count('commandErrors');
    const asset = 'command' in parsed ? parsed.command.asset : undefined;
    const head = { gateway, asset, correlationData: replyTo.correlationText };
    let payload = formatResponse(head, result);
    if (Buffer.byteLength(payload) + PACKET_MARGIN_BYTES > link.maximumPacketBytes) {
      const error = { code: 'RESPONSE_TOO_LARGE', message: 'the response is larger than the broker accepts' };
      payload = formatResponse(head, { error });
    }
    const { topic, correlationData } = replyTo;
    try {
      const release = await window.acquire('LIVE', signal);
      await link.publish({ topic, payload, qos: 1, correlationData }).finally(release);
    } catch (error) {
      // The client of a lost response repeats the command with the same correlation data, and gets the first outcome.
      if (error instanceof MessageRefused) status.count('refused');
      else if (!(error instanceof LinkEnded) && !signal.aborted) throw error;
    }
  }
}

function findCode(error: unknown): string | undefined {
  // The gateway's own code is the cause of the error of the call.
  const codes = error instanceof Error ? [error.cause, 'code' in error ? error.code : undefined] : [];
  return codes.find((code) => typeof code === 'string');
}

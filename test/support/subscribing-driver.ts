import type { Reading, SubscribeOptions, SubscribingDriver } from '../../daemon/channel/driver.ts';
import type { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { ScriptedDriver } from './scripted-driver.ts';

/** A scripted device that reports changes by itself. */
export class SubscribingScriptedDriver extends ScriptedDriver implements SubscribingDriver {
  /** Every subscription that was asked for, in order. */
  readonly subscriptions: SubscribeOptions[] = [];
  /** Thrown by every `subscribe` while set. */
  subscribeFault: ConnectionError | undefined;

  get current(): SubscribeOptions {
    const current = this.subscriptions.at(-1);
    if (current === undefined) throw new Error('nobody has subscribed');
    return current;
  }

  async subscribe(options: SubscribeOptions): Promise<void> {
    this.subscriptions.push(options);
    if (this.subscribeFault !== undefined) throw this.subscribeFault;
  }

  /** Reports a reading of a channel of the newest subscription. */
  report(name: string, reading: Reading): void {
    const index = this.current.channels.findIndex((channel) => channel.name === name);
    this.current.onReading(index, reading);
  }
}

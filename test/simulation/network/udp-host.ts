import type { Clock } from '../../../daemon/base/clock.ts';
import type { Random } from '../world/random.ts';

/** The conditions of the way of datagrams; may be changed at any time. */
export interface DatagramConditions {
  latencyMs: number;
  /** Chance of a datagram to be lost, in either direction. */
  loss: number;
  /** Chance of an answer to arrive twice. */
  doubling: number;
  /** Chance of an answer to be overtaken, and by how much at most. */
  lateness: number;
  latestMs: number;
  isInterrupted: boolean;
}

/** Sends an answer to where the request came from, `afterMs` from now. */
export type SendAnswer = (bytes: Buffer, afterMs: number) => void;

export interface UdpHostOptions {
  readonly time: Pick<Clock, 'schedule'>;
  readonly random: Random;
  readonly latencyMs: number;
  readonly serve: (bytes: Buffer, answer: SendAnswer) => void;
}

/**
 * A name and port at which a device takes datagrams, and the way there. Requests are lost or arrive at once: nothing could
 * keep one that is late or doubled from being carried out.
 */
export class UdpHost {
  readonly #options: UdpHostOptions;
  readonly path: DatagramConditions;
  #deliver: ((bytes: Buffer) => void) | undefined;
  /** Whether a service listens; without one the sender receives an error. */
  isListening = true;

  constructor(options: UdpHostOptions) {
    this.#options = options;
    const { latencyMs } = options;
    this.path = { latencyMs, loss: 0, doubling: 0, lateness: 0, latestMs: 0, isInterrupted: false };
  }

  /** Takes the receiver of all answers from now on: a router keeps the port of a sender that opens another socket. */
  receive(deliver: (bytes: Buffer) => void): void {
    this.#deliver = deliver;
  }

  /** Takes a datagram on its way. */
  send(bytes: Buffer, onRefused: () => void): void {
    const { time, serve } = this.#options;
    if (this.#isLost()) return;
    time.schedule(this.path.latencyMs, () => {
      if (this.path.isInterrupted) return;
      if (!this.isListening) return onRefused();
      serve(bytes, (answer, afterMs) => this.#answer(answer, afterMs));
    });
  }

  #answer(answer: Buffer, afterMs: number): void {
    const { time, random } = this.#options;
    const { path } = this;
    const copies = random.chance(path.doubling) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const lateMs = random.chance(path.lateness) ? random.fraction() * path.latestMs : 0;
      if (!this.#isLost()) time.schedule(afterMs + path.latencyMs + lateMs, () => this.#deliver?.(answer));
    }
  }

  #isLost(): boolean {
    return this.path.isInterrupted || this.#options.random.chance(this.path.loss);
  }
}

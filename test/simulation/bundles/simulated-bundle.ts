import { duplexPair } from 'node:stream';
import type { Duplex } from 'node:stream';

import { delay } from '../../../daemon/base/clock.ts';
import { BundleError } from '../../../daemon/software/bundle/bundle-error.ts';
import type { LaunchedBundle, LaunchPaths } from '../../../daemon/software/bundle/process/bundle-launcher.ts';
import { FramePipe } from '../../../daemon/software/bundle/message/frame-pipe.ts';
import { MessagePeer } from '../../../daemon/software/bundle/message/message-peer.ts';
import { createGatewayLink } from '../../../daemon/software/bundle/runner/gateway-link.ts';
import { OfferedDrivers } from '../../../daemon/software/bundle/runner/offered-drivers.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';
import type { Random } from '../world/random.ts';
import type { BundleProgram } from './bundle-program.ts';
import type { Meter } from './meter.ts';
import { createMeterDriver } from './meter-driver.ts';
import { ProcessClock } from './process-clock.ts';

interface SimulatedBundleOptions {
  readonly pid: number;
  readonly program: BundleProgram;
  readonly paths: LaunchPaths;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly meter: Meter;
  /** Called when it is active, before the gateway hears of it. */
  readonly onActive: () => void;
  /** Called once, when it has ended. @param isWanted whether the gateway has ended it */
  readonly onEnd: (isWanted: boolean) => void;
}

type Call = (params: never, signal: AbortSignal) => Promise<unknown>;

const FOREVER_MS = 10 * 365 * 86_400_000;
const LONGEST_SLOW_MS = 45_000;
const RESIDENT_BYTES = 40_000_000;
const STORED = { bytes: 4096, entries: 2 };

/** The process of a bundle in a world: it speaks to the gateway as the real one does, and does what its program says. */
export class SimulatedBundle implements LaunchedBundle {
  readonly pid: number;
  readonly paths: LaunchPaths;
  readonly link: Duplex;
  readonly output = [];
  readonly ended: Promise<BundleError>;
  readonly #options: SimulatedBundleOptions;
  readonly #clock: ProcessClock;
  readonly #own: Duplex;
  readonly #peer: MessagePeer;
  readonly #drivers: OfferedDrivers;
  readonly #end = Promise.withResolvers<BundleError>();
  #isOver = false;

  constructor(options: SimulatedBundleOptions) {
    const clock = new ProcessClock(options.time);
    this.#options = options;
    this.#clock = clock;
    this.pid = options.pid;
    this.paths = options.paths;
    this.ended = this.#end.promise;
    [this.link, this.#own] = duplexPair();
    this.#peer = new MessagePeer({
      send: (message) => pipe.send(message),
      handler: {
        onCall: (method, params, signal) => this.#serve(method, params, signal),
        onNotification: () => undefined,
      },
      clock,
    });
    this.#drivers = new OfferedDrivers(createGatewayLink(this.#peer));
    const pipe = new FramePipe({
      stream: this.#own,
      onFrame: (frame) => this.#peer.receive(frame),
      onEnd: () => this.#exit('the gateway has ended', true),
      clock,
    });
  }

  readResidentBytes(): Promise<number> {
    return Promise.resolve(RESIDENT_BYTES);
  }

  measureStorage(): Promise<typeof STORED> {
    return Promise.resolve(STORED);
  }

  setWritable(): Promise<void> {
    return Promise.resolve();
  }

  terminate(): void {
    if (!this.#options.program.isDeaf) this.#exit('the bundle ended by SIGTERM', true);
  }

  kill(): void {
    this.#exit('the bundle ended by SIGKILL', true);
  }

  /** Ends it together with the gateway: neither hears of the other any more. */
  cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clock.end();
    this.#options.onEnd(true);
  }

  async #serve(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const { program, random } = this.#options;
    const calls: Readonly<Record<string, Call>> = {
      activate: () => this.#activate(),
      deactivate: () => (program.isDeaf ? this.#hang() : Promise.resolve()),
      ping: () => delay(this.#clock, random.exponential(2)),
      'driver.connect': (given, aborted) => this.#drivers.connect(given, aborted),
      'driver.disconnect': (given) => this.#drivers.disconnect(given),
      'driver.read': (given, aborted) => this.#drivers.read(given, aborted),
      'driver.write': (given, aborted) => this.#drivers.write(given, aborted),
    };
    return calls[method]?.(params as never, signal);
  }

  async #activate(): Promise<void> {
    const { program, random, meter, onActive } = this.#options;
    const { activation, driver: type, livesMs, meanLifeMs, callMs } = program;
    if (activation === 'HANGS') return this.#hang();
    if (activation === 'EXITS') return this.#exit('the bundle ended with status 1', false);
    await delay(this.#clock, activation === 'SLOW' ? random.integer(1000, LONGEST_SLOW_MS) : 5);
    if (activation === 'THROWS') throw new Error('nothing to do here');
    if (type !== undefined) {
      const drawCallMs = (): number => random.exponential(callMs);
      const onRisk = (): void => {
        if (random.chance(program.diesInCalls)) this.#exit('the bundle ended by SIGSEGV', false);
      };
      await this.#drivers.register(
        createMeterDriver({ type, meter, clock: this.#clock, drawCallMs, onRisk }),
      );
    }
    const lifeMs = livesMs ?? (meanLifeMs === undefined ? FOREVER_MS : random.exponential(meanLifeMs));
    this.#clock.schedule(lifeMs, () => this.#exit('the bundle ended with status 1', false));
    onActive();
  }

  #hang(): Promise<void> {
    return delay(this.#clock, FOREVER_MS);
  }

  #exit(reason: string, isWanted: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd(isWanted);
    this.#clock.end();
    this.#peer.end(new BundleError('BUNDLE_ENDED', reason));
    this.#own.end();
    // The link may be found closed before the end of the process is known, as on a machine.
    const { time, random } = this.#options;
    time.schedule(random.integer(0, 3), () => this.#end.resolve(new BundleError('BUNDLE_ENDED', reason)));
  }
}

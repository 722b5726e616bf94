import type { Clock } from '../../../daemon/base/clock.ts';
import type { FrameDirection, TracedFrame } from '../../../daemon/channel/trace/tracing-driver.ts';
import type { ClientStack, ClientStackFactory } from '../browse/client-stack.ts';
import { describeRequest, describeResponse } from './described-service.ts';
import type { ServiceTransport, TransportOptions } from './service-transport.ts';

type OnFrame = (frame: TracedFrame) => void;

// The bytes on the wire are encrypted, and those of a session contain passwords.
const NO_BYTES = Buffer.alloc(0);

/**
 * Shows the services of a connection instead of its bytes: kind and number of the operations, status and duration. Values, user names
 * and secrets are not shown.
 */
export class ServiceTrace {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #onFrame: OnFrame | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** @param onFrame undefined: ends the trace */
  follow(onFrame: OnFrame | undefined): void {
    this.#onFrame = onFrame;
  }

  /** Returns a factory of transports that this trace shows. */
  watch(equip: ClientStackFactory): ClientStackFactory {
    return async (context) => {
      const stack = await equip(context);
      const createTransport: ClientStack['createTransport'] = (options) =>
        this.#watchTransport(stack.createTransport(options), options);
      return { library: stack.library, ownCertificate: stack.ownCertificate, createTransport };
    };
  }

  #watchTransport(transport: ServiceTransport, options: TransportOptions): ServiceTransport {
    let received = 0;
    // Responses arrive one after the other, so the bytes since the last one belong to this one: counted without a listener as well.
    const takeReceived = (): number => {
      const before = received;
      received = transport.bytes?.received ?? 0;
      return received - before;
    };
    const showStep = <T>(step: string, run: () => Promise<T>): Promise<T> =>
      this.#showStep(step, run).finally(takeReceived);
    const security = `${options.securityMode}, ${options.securityPolicyUri.replace(/^.*#/, '')}`;
    return {
      open: (events) => {
        const onClose: typeof events.onClose = (reason) => {
          this.#show('RECEIVED', () => `connection closed: ${reason.message}`);
          events.onClose(reason);
        };
        const opening = (): Promise<void> => transport.open({ ...events, onClose });
        return showStep(`OpenSecureChannel, ${security}`, opening);
      },
      getEndpoints: () => showStep('GetEndpoints', () => transport.getEndpoints()),
      createSession: (identity) =>
        showStep('CreateSession, ActivateSession', () => transport.createSession(identity)),
      activateSession: (session) =>
        showStep('ActivateSession of an earlier session', () => transport.activateSession(session)),
      get isOpen() {
        return transport.isOpen;
      },
      send: (request, timeoutMs, onResponse) => {
        const startMs = this.#clock.monotonicMs();
        const sentBefore = transport.bytes?.sent ?? 0;
        transport.send(request, timeoutMs, (error, response) => {
          const bytes = takeReceived();
          this.#show('RECEIVED', () =>
            describeResponse(request, {
              error,
              response: response ?? undefined,
              durationMs: this.#clock.monotonicMs() - startMs,
              bytes,
            }),
          );
          onResponse(error, response);
        });
        // The library numbers it when it sends it.
        this.#show('SENT', () => describeRequest(request, (transport.bytes?.sent ?? 0) - sentBefore));
      },
      close: (reason) => transport.close(reason),
      get closeReason() {
        return transport.closeReason;
      },
      get bytes() {
        return transport.bytes;
      },
      dispose: () => transport.dispose(),
    };
  }

  async #showStep<T>(step: string, run: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    this.#show('SENT', () => step);
    const since = (): string => `${Math.round(this.#clock.monotonicMs() - startMs)} ms`;
    try {
      const result = await run();
      this.#show('RECEIVED', () => `${step}: done, ${since()}`);
      return result;
    } catch (error) {
      this.#show('RECEIVED', () => `${step}: failed, ${since()}`);
      throw error;
    }
  }

  #show(direction: FrameDirection, describe: () => string): void {
    this.#onFrame?.({ direction, bytes: NO_BYTES, meaning: describe() });
  }
}

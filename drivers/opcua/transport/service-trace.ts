import { toReasons } from '../../../daemon/base/errors.ts';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { describeParts } from '../../../daemon/channel/trace/tracing-driver.ts';
import { OPCUA_TRACE_SENTENCES as SENTENCES } from '../trace-sentences.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { FrameDirection, TracedFrame } from '../../../daemon/channel/trace/tracing-driver.ts';
import type { ClientStack, ClientStackFactory } from '../browse/client-stack.ts';
import { explainDuration, explainRequest, explainResponse } from './described-service.ts';
import type { ServiceTransport, TransportOptions } from './service-transport.ts';

type OnFrame = (frame: TracedFrame) => void;

// The bytes on the wire are encrypted, and those of a session contain passwords.
const NO_BYTES = Buffer.alloc(0);

/** A service of the connection itself, before and after it. */
interface Step {
  readonly begun: FaultReason;
  readonly done: FaultReason;
  readonly failed: FaultReason;
}

const EARLIER_SESSION: Step = {
  begun: createReason(SENTENCES, 'TRACE_EARLIER_SESSION', {}),
  done: createReason(SENTENCES, 'TRACE_EARLIER_SESSION_DONE', {}),
  failed: createReason(SENTENCES, 'TRACE_EARLIER_SESSION_FAILED', {}),
};

function toStep(service: string): Step {
  return {
    begun: createReason(SENTENCES, 'TRACE_SERVICE', { service }),
    done: createReason(SENTENCES, 'TRACE_SERVICE_DONE', { service }),
    failed: createReason(SENTENCES, 'TRACE_SERVICE_FAILED', { service }),
  };
}

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
    const showStep = <T>(step: Step, run: () => Promise<T>): Promise<T> =>
      this.#showStep(step, run).finally(takeReceived);
    const security = `${options.securityMode}, ${options.securityPolicyUri.replace(/^.*#/, '')}`;
    return {
      open: (events) => {
        const onClose: typeof events.onClose = (reason) => {
          this.#show('RECEIVED', () => [createReason(SENTENCES, 'TRACE_CLOSED', {}), ...toReasons(reason)]);
          events.onClose(reason);
        };
        const opening = (): Promise<void> => transport.open({ ...events, onClose });
        return showStep(toStep(`OpenSecureChannel, ${security}`), opening);
      },
      getEndpoints: () => showStep(toStep('GetEndpoints'), () => transport.getEndpoints()),
      createSession: (identity) =>
        showStep(toStep('CreateSession, ActivateSession'), () => transport.createSession(identity)),
      activateSession: (session) => showStep(EARLIER_SESSION, () => transport.activateSession(session)),
      get isOpen() {
        return transport.isOpen;
      },
      send: (request, timeoutMs, onResponse) => {
        const startMs = this.#clock.monotonicMs();
        const sentBefore = transport.bytes?.sent ?? 0;
        transport.send(request, timeoutMs, (error, response) => {
          const bytes = takeReceived();
          this.#show('RECEIVED', () =>
            explainResponse(request, {
              error,
              response: response ?? undefined,
              durationMs: this.#clock.monotonicMs() - startMs,
              bytes,
            }),
          );
          onResponse(error, response);
        });
        // The library numbers it when it sends it.
        this.#show('SENT', () => explainRequest(request, (transport.bytes?.sent ?? 0) - sentBefore));
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

  async #showStep<T>({ begun, done, failed }: Step, run: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    this.#show('SENT', () => [begun]);
    const since = (): FaultReason => explainDuration(this.#clock.monotonicMs() - startMs);
    try {
      const result = await run();
      this.#show('RECEIVED', () => [done, since()]);
      return result;
    } catch (error) {
      this.#show('RECEIVED', () => [failed, since()]);
      throw error;
    }
  }

  #show(direction: FrameDirection, explain: () => readonly FaultReason[]): void {
    this.#onFrame?.({ direction, bytes: NO_BYTES, ...describeParts(explain()) });
  }
}

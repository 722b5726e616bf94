import type { Readiness } from '../interface/health.ts';

/** State of the gateway: starting, serving or stopping. */
export class ReadinessState {
  current: Readiness = 'STARTING';

  get isStarting(): boolean {
    return this.current === 'STARTING';
  }
}

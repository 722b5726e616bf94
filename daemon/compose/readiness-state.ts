import type { Readiness } from '../interface/health.ts';

/** Holds whether the gateway is starting, serving or stopping. */
export class ReadinessState {
  current: Readiness = 'STARTING';

  get isStarting(): boolean {
    return this.current === 'STARTING';
  }
}

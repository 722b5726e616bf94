import type { Readiness } from '../rest/health-routes.ts';

/** Holds whether the gateway starts, serves or stops. */
export class ReadinessState {
  current: Readiness = 'STARTING';

  get isStarting(): boolean {
    return this.current === 'STARTING';
  }
}

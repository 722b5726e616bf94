import type { Clock } from '../../../../daemon/base/clock.ts';
import type { SimulatedNetwork } from '../../network/simulated-network.ts';
import type { Random } from '../../world/random.ts';

/** What all connections are made of. */
export interface PartContext {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
  readonly network: SimulatedNetwork;
  /** Name of the connection: its driver has it as `pid`. */
  readonly name: string;
  readonly units: number;
  /** Number of its first unit in the world. */
  readonly firstNumber: number;
  readonly meanFaultPauseMs: number;
  /** Factor for the interval at which devices send without a request. */
  readonly beatStretch: number;
}

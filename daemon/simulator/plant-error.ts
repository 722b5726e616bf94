import { GatewayError } from '../base/errors.ts';

/** The simulated plant cannot be opened with these options. */
export class PlantError extends GatewayError {}

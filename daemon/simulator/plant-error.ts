import { GatewayError } from '../base/errors.ts';

/** The simulated plant cannot be opened as it was asked for. */
export class PlantError extends GatewayError {}

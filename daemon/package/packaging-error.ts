import { GatewayError } from '../base/errors.ts';

/** A package cannot be made or signed from what was given. */
export class PackagingError extends GatewayError {}

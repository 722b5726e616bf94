import { GatewayError, InvalidRequest, NotFound, Unavailable } from '../../base/errors.ts';

/** Codes of a DeploymentException (OSGi Compendium, 114.14.5), by those reasons that occur here. */
export const DEPLOYMENT_CODES = {
  CANCELLED: 401,
  NOT_A_JAR: 404,
  ORDER_ERROR: 450,
  MISSING_HEADER: 451,
  BAD_HEADER: 452,
  MISSING_FIXPACK_TARGET: 453,
  MISSING_BUNDLE: 454,
  MISSING_RESOURCE: 455,
  SIGNING_ERROR: 456,
  BUNDLE_NAME_ERROR: 457,
  BUNDLE_SHARING_VIOLATION: 460,
  COMMIT_ERROR: 462,
  OTHER_ERROR: 463,
  TIMEOUT: 465,
} as const;

/** Reason for the failure of a package operation. */
export type DeploymentReason = keyof typeof DEPLOYMENT_CODES;

/** A package operation failed; the installed packages are unchanged. */
export class DeploymentError extends GatewayError {
  readonly reason: DeploymentReason;

  constructor(reason: DeploymentReason, detail: string, cause?: unknown) {
    super({ code: `PACKAGE_${reason}`, detail, ...(cause === undefined ? {} : { cause }) });
    this.reason = reason;
  }

  /** Code of the reason in the standard. */
  get deploymentCode(): number {
    return DEPLOYMENT_CODES[this.reason];
  }
}

/** A URL from which no package can be installed. */
export class SourceRefused extends InvalidRequest {}

/** No package or operation has this name. */
export class DeploymentNotFound extends NotFound {}

/** Too many operations are queued. */
export class DeploymentBusy extends Unavailable {}

/** The marketplace does not respond, or its response is unusable. */
export class MarketplaceError extends GatewayError {}

/** A package cannot be made or signed from the given files. */
export class PackagingError extends GatewayError {}

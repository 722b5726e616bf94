import type { Clock } from '../../../base/clock.ts';
import type { AcceptedOperation, DeploymentAdmin } from '../../../software/deployment/deployment-admin.ts';
import type { ReceivedPackage } from '../../../software/deployment/source/received-packages.ts';
import { MarketplaceError } from '../../../software/package/deployment-error.ts';
import type { Marketplace } from '../../../software/deployment/source/marketplace.ts';
import type { Operation, Requester } from '../../../software/deployment/operation/operation.ts';
import { toShownUrl } from '../../../software/deployment/source/package-url.ts';
import { ok } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import { HttpRefusal } from '../../http/problem.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { Route } from '../../http/route.ts';
import { createUpload } from '../../http/body/upload.ts';
import { toTarget } from '../../../interface/endpoint.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import {
  describePackage,
  installPackage,
  listOperations,
  listPackages,
  readOperation,
  uninstallPackage,
  uploadPackage,
} from '../../../interface/software/packages.ts';

interface DeploymentRouteParts {
  readonly admin: DeploymentAdmin;
  readonly marketplace: Marketplace;
  readonly maximumPackageBytes: () => number;
  readonly clock: Clock;
}

/** Creates the endpoints that list, install and uninstall deployment packages. */
export function createDeploymentRoutes(parts: DeploymentRouteParts): readonly Route[] {
  const { admin, marketplace } = parts;
  return [
    implement(listPackages, () => ok(admin.list())),
    implement(listOperations, () => ok(admin.operations().map(toOperationRecord))),
    implement(readOperation, ({ parameters: { id } }) => ok(toOperationRecord(admin.getOperation(id)))),
    implement(describePackage, async ({ body }) => {
      try {
        return ok(await marketplace.describe(body.url));
      } catch (cause) {
        if (!(cause instanceof MarketplaceError)) throw cause;
        const { code, detail } = cause;
        const timeout = 'MARKETPLACE_TIMEOUT';
        if (code === timeout) throw new HttpRefusal({ status: 504, code: timeout, detail, cause });
        throw new HttpRefusal({ status: 502, code, detail, cause });
      }
    }),
    // Names of packages come last: they would match any other path.
    ...changeRoutes(parts),
  ];
}

function changeRoutes({ admin, maximumPackageBytes, clock }: DeploymentRouteParts): readonly Route[] {
  const target = {
    receive: (chunks: AsyncIterable<Uint8Array>) => admin.receive(chunks),
    discard: (received: ReceivedPackage) => admin.discard(received),
    maximumBytes: maximumPackageBytes,
  };
  // An operation that was accepted is stored with the key, and one that is not stored was not begun.
  const answerInterrupted = (context: RequestContext): Answer | undefined => {
    const operation = admin.findRequested(toRequester(context));
    return operation === undefined ? undefined : toAccepted({ operation, isNew: true }, 'INSTALLING');
  };
  return [
    implement(installPackage, {
      answerInterrupted,
      handle: (call) => toAccepted(admin.install(call.body.url, toRequester(call)), 'INSTALLING'),
    }),
    implement(uploadPackage, {
      body: {
        receive: createUpload(target, clock),
        discard: (received: ReceivedPackage) => admin.discard(received),
        digestOf: ({ sha256 }: ReceivedPackage) => sha256,
      },
      answerInterrupted,
      handle: async (call) =>
        toAccepted(await admin.installReceived(call.body, toRequester(call)), 'INSTALLING'),
    }),
    implement(uninstallPackage, {
      answerInterrupted,
      handle: (call) => toAccepted(admin.uninstall(call.parameters.name, toRequester(call)), 'UNINSTALLING'),
    }),
  ];
}

/** @param pending response if the same operation is already in progress */
function toAccepted<Pending extends string>(
  { operation, isNew }: AcceptedOperation,
  pending: Pending,
): Answer<'REQUEST_RECEIVED' | Pending> {
  const location = toTarget(readOperation, { id: operation.id });
  return ok(isNew ? 'REQUEST_RECEIVED' : pending, { Location: location });
}

function toRequester(
  context: Pick<RequestContext, 'principal' | 'remoteAddress' | 'requestId' | 'keyed'>,
): Requester {
  const { principal, remoteAddress: address, requestId, keyed } = context;
  const key =
    keyed === undefined ? {} : { idempotencyKey: keyed.owner.key, identityId: keyed.owner.identity };
  if (principal === undefined) return { address, requestId };
  return { identity: principal.identity.name, method: principal.method, address, requestId, ...key };
}

function toOperationRecord(operation: Operation): ResultOf<typeof readOperation> {
  const { id, url, name, version, state, phase, percent, errorCode, message, leftover } = operation;
  const messages = [message, leftover].filter((text) => text !== undefined);
  return {
    id,
    operation: operation.operation,
    url: url === undefined ? undefined : toShownUrl(url),
    name,
    version,
    grants: operation.grants?.map((granted) => ({ ...granted, permissions: [...granted.permissions] })),
    state,
    phase,
    percent,
    errorCode,
    message: messages.length === 0 ? undefined : messages.join('; '),
    startedAt: operation.startedAtMs,
    finishedAt: operation.finishedAtMs,
  };
}

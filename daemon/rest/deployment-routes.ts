import type { Clock } from '../base/clock.ts';
import { z } from '../base/schema.ts';
import type { AcceptedOperation, DeploymentAdmin } from '../deployment/deployment-admin.ts';
import type { ReceivedPackage } from '../deployment/received-packages.ts';
import { MarketplaceError } from '../package/deployment-error.ts';
import type { Marketplace } from '../deployment/marketplace.ts';
import { OPERATION_PHASES, OPERATION_STATES } from '../deployment/operation.ts';
import type { Operation, Requester } from '../deployment/operation.ts';
import { toShownUrl } from '../deployment/package-url.ts';
import { ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { HttpRefusal } from '../http/problem.ts';
import { defineRoute } from '../http/route.ts';
import { BUNDLE_STATES } from '../interface/bundle.ts';
import { jsonBody } from '../interface/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';
import { createUpload } from '../http/upload.ts';

const ROOT = '/services/deploy/v2';
const PERMISSION = 'rest.deploy';
const MAXIMUM_BYTES = 65_536;

const packageUrl = z.string().min(1, 'expected a URL');
const installRequest = z.object({ url: packageUrl }).meta({ id: 'InstallRequest' });
const descriptorRequest = z.object({ url: packageUrl }).meta({ id: 'PackageDescriptorRequest' });
const packagedBundle = z
  .strictObject({ name: z.string(), version: z.string(), state: z.enum(BUNDLE_STATES) })
  .meta({ id: 'PackagedBundle' });
const listedPackage = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    bundles: z.array(packagedBundle),
  })
  .meta({ id: 'InstalledPackage' });
const bundleGrants = z
  .strictObject({
    bundle: z.string(),
    permissions: z.array(z.string()),
    identities: z.string().optional(),
  })
  .meta({ id: 'BundleGrants' });
const operationRecord = z
  .strictObject({
    id: z.string(),
    operation: z.enum(['INSTALL', 'UNINSTALL']),
    url: z.string().optional(),
    name: z.string().optional(),
    version: z.string().optional(),
    /** What the bundles of the package may use; absent: nothing, or not known yet. */
    grants: z.array(bundleGrants).optional(),
    state: z.enum(OPERATION_STATES),
    phase: z.enum(OPERATION_PHASES),
    percent: z.int(),
    errorCode: z.int().optional(),
    message: z.string().optional(),
    startedAt: z.int().optional(),
    finishedAt: z.int().optional(),
  })
  .meta({ id: 'PackageOperation' });
const uploadForm = z.custom<ReceivedPackage>().meta({
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' } },
  required: ['file'],
});
const descriptor = z
  .strictObject({
    nodeId: z.string(),
    url: z.string(),
    dpUrl: z.string(),
    minServiceVersion: z.string(),
    maxServiceVersion: z.string(),
    currentServiceVersion: z.string(),
    isCompatible: z.boolean(),
  })
  .meta({ id: 'PackageDescriptor' });

interface DeploymentRouteParts {
  readonly admin: DeploymentAdmin;
  readonly marketplace: Marketplace;
  readonly maximumPackageBytes: () => number;
  readonly clock: Clock;
}

/** Creates the endpoints that list, install and uninstall deployment packages. */
export function createDeploymentRoutes(parts: DeploymentRouteParts): readonly Route[] {
  // Names of packages come last: they would match any other path.
  return [...listRoutes(parts), descriptorRoute(parts), ...changeRoutes(parts)];
}

function listRoutes({ admin }: DeploymentRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: ROOT,
      isOfSpecification: true,
      summary: 'Lists the installed packages with their bundles',
      access: PERMISSION,
      response: { status: 200, schema: z.array(listedPackage) },
      handle: () => ok(admin.list()),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/_status`,
      summary: 'Lists the last operations on packages, the newest first',
      access: PERMISSION,
      response: { status: 200, schema: z.array(operationRecord) },
      handle: () => ok(admin.operations().map(toOperationRecord)),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/_status/:id`,
      summary: 'Shows one operation on packages',
      access: PERMISSION,
      response: { status: 200, schema: operationRecord },
      handle: ({ parameters: { id = '' } }) => ok(toOperationRecord(admin.getOperation(id))),
    }),
  ];
}

function changeRoutes({ admin, maximumPackageBytes, clock }: DeploymentRouteParts): readonly Route[] {
  const target = {
    receive: (chunks: AsyncIterable<Uint8Array>) => admin.receive(chunks),
    discard: (received: ReceivedPackage) => admin.discard(received),
    maximumBytes: maximumPackageBytes,
  };
  const upload = createUpload(target, clock);
  // An operation that was accepted is stored with the key, and one that is not stored was not begun.
  const findAccepted = (context: RequestContext): Answer | undefined => {
    const operation = admin.findRequested(toRequester(context));
    return operation === undefined ? undefined : toAccepted({ operation, isNew: true });
  };
  return [
    defineRoute({
      method: 'POST',
      path: `${ROOT}/_install`,
      isOfSpecification: true,
      summary: 'Installs a package from a URL',
      access: PERMISSION,
      isKeyed: true,
      request: jsonBody(installRequest, MAXIMUM_BYTES),
      response: { status: 200, schema: z.enum(['REQUEST_RECEIVED', 'INSTALLING']) },
      answerInterrupted: (context) => findAccepted(context),
      handle: (context) => toAccepted(admin.install(context.body.url, toRequester(context))),
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/_upload`,
      isOfSpecification: true,
      summary: 'Installs the package that is sent in the form field "file"',
      access: PERMISSION,
      request: {
        contentType: 'multipart/form-data',
        schema: uploadForm,
        receive: upload,
        discard: (received) => admin.discard(received),
        digestOf: ({ sha256 }) => sha256,
      },
      isKeyed: true,
      refusals: [408, 507],
      response: { status: 200, schema: z.enum(['REQUEST_RECEIVED', 'INSTALLING']) },
      answerInterrupted: (context) => findAccepted(context),
      handle: async (context) => toAccepted(await admin.installReceived(context.body, toRequester(context))),
    }),
    defineRoute({
      method: 'DELETE',
      path: `${ROOT}/:name`,
      isOfSpecification: true,
      summary: 'Uninstalls a package',
      access: PERMISSION,
      isKeyed: true,
      response: { status: 200, schema: z.enum(['REQUEST_RECEIVED', 'UNINSTALLING']) },
      answerInterrupted: (context) => findAccepted(context),
      handle: (context) =>
        toAccepted(admin.uninstall(context.parameters['name'] ?? '', toRequester(context))),
    }),
  ];
}

function descriptorRoute({ marketplace }: DeploymentRouteParts): Route {
  return defineRoute({
    method: 'PUT',
    path: `${ROOT}/_packageDescriptor`,
    isOfSpecification: true,
    summary: 'Describes a package of the marketplace',
    access: PERMISSION,
    request: jsonBody(descriptorRequest, MAXIMUM_BYTES),
    refusals: [502, 504],
    response: { status: 200, schema: descriptor },
    async handle({ body }) {
      try {
        return ok(await marketplace.describe(body.url));
      } catch (cause) {
        if (!(cause instanceof MarketplaceError)) throw cause;
        const { code, detail } = cause;
        const status = code === 'MARKETPLACE_TIMEOUT' ? 504 : 502;
        throw new HttpRefusal({ status, code, detail, cause });
      }
    },
  });
}

function toAccepted({ operation, isNew }: AcceptedOperation): Answer {
  const pending = operation.operation === 'INSTALL' ? 'INSTALLING' : 'UNINSTALLING';
  return ok(isNew ? 'REQUEST_RECEIVED' : pending, { Location: `${ROOT}/_status/${operation.id}` });
}

function toRequester(context: RequestContext): Requester {
  const { principal, remoteAddress: address, requestId, keyed } = context;
  const key =
    keyed === undefined ? {} : { idempotencyKey: keyed.owner.key, identityId: keyed.owner.identity };
  if (principal === undefined) return { address, requestId };
  return { identity: principal.identity.name, method: principal.method, address, requestId, ...key };
}

function toOperationRecord(operation: Operation): z.infer<typeof operationRecord> {
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

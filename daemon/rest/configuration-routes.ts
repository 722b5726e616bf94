import type { Clock } from '../base/clock.ts';
import { NotFound } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { ManagedDocument } from '../configuration/managed-document.ts';
import {
  getItem,
  getSection,
  parseSectionName,
  pickItem,
  pickSection,
  putItem,
  putSection,
  removeItem,
  removeSection,
} from '../configuration/section-edit.ts';
import type { Snapshot } from '../configuration/snapshot-store.ts';
import { noContent, ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { changePlan, changeQuery } from '../interface/configuration-change.ts';
import { changeConfiguration, isAdministrator } from './configuration-change.ts';
import type { ConfigurationChanger } from './configuration-change.ts';
import { formatEntityTag } from '../http/entity-tag.ts';
import { defineRoute } from '../http/route.ts';
import { jsonBody } from '../interface/endpoint.ts';
import type { Method } from '../interface/endpoint.ts';
import { readQuery } from '../http/query.ts';
import { integerParameter } from '../interface/query-parameter.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';

export const CONFIGURATION_ROOT = '/services/configuration/v1';

const MAXIMUM_BYTES = 16 * 1024 * 1024;
const anyDocument = {
  ...jsonBody(z.unknown(), MAXIMUM_BYTES),
  alternativeType: 'application/yaml',
} as const;
const snapshotHead = z
  .strictObject({
    id: z.int(),
    createdAt: z.int(),
    author: z
      .string()
      .optional()
      .describe('The identity that made it; absent: a provision file, or a change that was taken back'),
  })
  .meta({ id: 'SnapshotHead' });
const pendingChange = z
  .strictObject({
    pending: z
      .strictObject({
        snapshot: z.int(),
        revertTo: z.int().describe('Number of the snapshot that comes back; 0: the empty document'),
        author: z.string().optional().describe('The identity that made the change'),
        secondsLeft: z.int().describe('Seconds until the change is taken back'),
        revertAt: z.int().describe('The same as milliseconds since the epoch'),
      })
      .meta({ id: 'PendingChange' })
      .optional()
      .describe('Absent: no change waits'),
  })
  .meta({ id: 'PendingConfirmation' });
const meantQuery = z.object({
  snapshot: integerParameter(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'Number of the snapshot that is meant; when another change waits, 409. Absent: whichever waits',
    ),
});
const takenBack = z.strictObject({ snapshot: z.int() }).meta({ id: 'TakenBack' });
const snapshotRecord = z
  .strictObject({ ...snapshotHead.shape, document: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Snapshot' });
const snapshotList = z.strictObject({ snapshots: z.array(snapshotHead) }).meta({ id: 'SnapshotList' });

interface ConfigurationRouteParts {
  readonly configuration: Pick<
    ConfigurationStore,
    'show' | 'showSnapshot' | 'listSnapshots' | 'describe' | 'getDocumentOf' | 'refuseUnconfirmedTokenTrust'
  >;
  readonly applier: ConfigurationChanger;
  readonly clock: Pick<Clock, 'epochMs'>;
}

/** Creates the endpoints of the managed configuration. Secrets can be written through them, never read. */
export function createConfigurationRoutes(parts: ConfigurationRouteParts): readonly Route[] {
  return [
    ...createDocumentRoutes(parts),
    ...createSnapshotRoutes(parts),
    ...createSectionRoutes(parts),
    ...createItemRoutes(parts),
  ];
}

function createDocumentRoutes({ configuration, applier, clock }: ConfigurationRouteParts): readonly Route[] {
  return [
    defineReadRoute('', 'Shows the configuration as it is set', () => showPart(configuration.show())),
    defineChangeRoute(
      'PUT',
      '',
      'Replaces the configuration',
      applier,
      ({ body }) =>
        () =>
          body,
    ),
    defineReadRoute('/schema', 'Describes the configuration as JSON Schema', () =>
      ok(configuration.describe()),
    ),
    defineRoute({
      method: 'POST',
      path: `${CONFIGURATION_ROOT}/_confirm`,
      summary: 'Keeps the change that waits for confirmation',
      access: 'rest.configuration',
      audit: 'CONFIGURATION_CHANGED',
      query: meantQuery,
      refusals: [409],
      response: { status: 204 },
      handle(context) {
        context.auditNote = { details: [{ confirmed: true }] };
        const { snapshot: meantId } = readQuery(context.request, meantQuery);
        if (!isAdministrator(context)) configuration.refuseUnconfirmedTokenTrust();
        applier.confirm(meantId);
        return noContent();
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/_confirm`,
      summary: 'Shows the change that waits for confirmation',
      access: 'rest.configuration',
      response: { status: 200, schema: pendingChange },
      handle() {
        const found = applier.findPending();
        if (found === undefined) return ok({});
        const { snapshotId: snapshot, secondsLeft, ...others } = found;
        const revertAt = clock.epochMs() + secondsLeft * 1000;
        return ok({ pending: { snapshot, ...others, secondsLeft, revertAt } });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${CONFIGURATION_ROOT}/_takeBack`,
      summary: 'Takes the change that waits for confirmation back at once',
      access: 'rest.configuration',
      audit: 'CONFIGURATION_CHANGED',
      query: meantQuery,
      refusals: [409],
      response: { status: 200, schema: takenBack },
      async handle(context) {
        context.auditNote = { details: [{ takenBack: true }] };
        const { snapshot: meantId } = readQuery(context.request, meantQuery);
        if (!isAdministrator(context)) configuration.refuseUnconfirmedTokenTrust();
        const snapshot = await applier.takeBack(meantId);
        context.auditNote = { details: [{ takenBack: true, snapshot }] };
        return ok({ snapshot }, { ETag: formatEntityTag(snapshot) });
      },
    }),
  ];
}

function createSnapshotRoutes({ configuration, applier }: ConfigurationRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/snapshots`,
      summary: 'Lists the snapshots, the newest first',
      access: 'rest.configuration',
      response: { status: 200, schema: snapshotList },
      handle: () =>
        ok({
          snapshots: configuration
            .listSnapshots()
            .map(({ id, createdAtMs: createdAt, author }) => ({ id, createdAt, author })),
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/snapshots/:id`,
      summary: 'Shows a snapshot',
      access: 'rest.configuration',
      response: { status: 200, schema: snapshotRecord },
      handle({ parameters }) {
        const shown = configuration.showSnapshot(readNumber(parameters));
        const { id, createdAtMs: createdAt, author, document } = shown;
        return ok({ id, createdAt, author, document });
      },
    }),
    defineChangeRoute(
      'POST',
      '/snapshots/:id/_rollback',
      'Applies a snapshot again',
      applier,
      ({ parameters }) => {
        const document = configuration.getDocumentOf(readNumber(parameters));
        return () => document;
      },
    ),
  ];
}

function createSectionRoutes({ configuration, applier }: ConfigurationRouteParts): readonly Route[] {
  const path = '/:section';
  const sectionOf = ({ parameters }: RequestContext) => parseSectionName(parameters['section'] ?? '');
  return [
    defineReadRoute(path, 'Shows a section as it is set', (context) => {
      const section = sectionOf(context);
      return showPart(
        configuration.show((document) => pickSection(document, section)),
        (document) => getSection(document, section),
      );
    }),
    defineChangeRoute('PUT', path, 'Replaces a section', applier, (context) => {
      const section = sectionOf(context);
      return (document) => putSection(document, section, context.body);
    }),
    defineChangeRoute('DELETE', path, 'Resets a section to its defaults', applier, (context) => {
      const section = sectionOf(context);
      return (document) => removeSection(document, section);
    }),
  ];
}

function createItemRoutes({ configuration, applier }: ConfigurationRouteParts): readonly Route[] {
  const path = '/:section/:pid';
  const positionOf = ({ parameters: { section = '', pid = '' } }: RequestContext) =>
    [parseSectionName(section), pid] as const;
  return [
    defineReadRoute(path, 'Shows an item of a section', (context) => {
      const position = positionOf(context);
      return showPart(
        configuration.show((document) => pickItem(document, ...position)),
        (document) => getItem(document, ...position),
      );
    }),
    defineChangeRoute('PUT', path, 'Creates or replaces an item of a section', applier, (context) => {
      const position = positionOf(context);
      return (document) => putItem(document, ...position, context.body);
    }),
    defineChangeRoute('DELETE', path, 'Removes an item of a section', applier, (context) => {
      const position = positionOf(context);
      return (document) => removeItem(document, ...position);
    }),
  ];
}

function defineReadRoute(path: string, summary: string, handle: (context: RequestContext) => Answer): Route {
  return defineRoute<unknown>({
    method: 'GET',
    path: `${CONFIGURATION_ROOT}${path}`,
    summary,
    access: 'rest.configuration',
    response: { status: 200, schema: z.unknown() },
    handle,
  });
}

function defineChangeRoute(
  method: Method,
  path: string,
  summary: string,
  applier: ConfigurationChanger,
  createEdit: (context: RequestContext) => (document: ManagedDocument) => unknown,
): Route {
  return defineRoute<unknown>({
    method,
    path: `${CONFIGURATION_ROOT}${path}`,
    summary,
    access: 'rest.configuration',
    query: changeQuery,
    condition: 'NEEDED',
    ...(method === 'PUT' ? { request: anyDocument } : {}),
    response: { status: 200, schema: changePlan },
    handle: (context) => changeConfiguration(applier, context, () => createEdit(context)),
  });
}

/** Returns the configuration in force, or a part of it; the entity tag is that of the whole. */
function showPart(
  { id, document }: Snapshot,
  select: (document: ManagedDocument) => unknown = (whole) => whole,
): Answer {
  return ok(select(document), { ETag: formatEntityTag(id) });
}

function readNumber({ id = '' }: Readonly<Record<string, string>>): number {
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new NotFound({ code: 'SNAPSHOT_UNKNOWN', detail: 'no snapshot has this number' });
}

import { NotFound } from '../base/errors.ts';
import { z } from '../base/schema.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { ManagedDocument } from '../configuration/managed-document.ts';
import {
  getItem,
  getSection,
  parseSectionName,
  putItem,
  putSection,
  removeItem,
  removeSection,
} from '../configuration/section-edit.ts';
import type { Snapshot } from '../configuration/snapshot-store.ts';
import { noContent, ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { changeConfiguration, changePlan, changeQuery } from './configuration-change.ts';
import type { ConfigurationChanger } from './configuration-change.ts';
import { formatEntityTag } from '../http/entity-tag.ts';
import { defineRoute } from '../http/route.ts';
import { jsonBody } from '../http/endpoint.ts';
import type { Method } from '../http/endpoint.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';

export const CONFIGURATION_ROOT = '/services/configuration/v1';

const MAXIMUM_BYTES = 16 * 1024 * 1024;
const anyDocument = {
  ...jsonBody(z.unknown(), MAXIMUM_BYTES),
  alternativeType: 'application/yaml',
} as const;
const snapshotHead = z.strictObject({ id: z.int(), createdAt: z.int() }).meta({ id: 'SnapshotHead' });
const snapshotRecord = z
  .strictObject({ ...snapshotHead.shape, document: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Snapshot' });
const snapshotList = z.strictObject({ snapshots: z.array(snapshotHead) }).meta({ id: 'SnapshotList' });

interface ConfigurationRouteParts {
  readonly configuration: Pick<
    ConfigurationStore,
    'show' | 'showSnapshot' | 'listSnapshots' | 'describe' | 'getDocumentOf'
  >;
  readonly applier: ConfigurationChanger;
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

function createDocumentRoutes({ configuration, applier }: ConfigurationRouteParts): readonly Route[] {
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
      refusals: [409],
      response: { status: 204 },
      handle(context) {
        context.auditNote = { details: [{ confirmed: true }] };
        applier.confirm();
        return noContent();
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
            .map(({ id, createdAtMs: createdAt }) => ({ id, createdAt })),
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/snapshots/:id`,
      summary: 'Shows a snapshot',
      access: 'rest.configuration',
      response: { status: 200, schema: snapshotRecord },
      handle({ parameters }) {
        const { id, createdAtMs: createdAt, document } = configuration.showSnapshot(readNumber(parameters));
        return ok({ id, createdAt, document });
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
      return showPart(configuration.show(), (document) => getSection(document, section));
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
      return showPart(configuration.show(), (document) => getItem(document, ...position));
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

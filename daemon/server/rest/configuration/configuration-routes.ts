import type { Clock } from '../../../base/clock.ts';
import type { SliceClock } from '../../../base/slices.ts';
import { NotFound } from '../../../base/errors.ts';
import type { ConfigurationStore } from '../../../configuration/store/configuration-store.ts';
import type { ManagedDocument } from '../../../configuration/managed-document.ts';
import * as edit from '../../../configuration/section-edit.ts';
import type { Snapshot } from '../../../configuration/store/snapshot-store.ts';
import { noContent, ok, okInSlices } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import { digestEntityTag, formatEntityTag } from '../../http/entity-tag.ts';
import { implement } from '../../http/implement.ts';
import type { CallOf } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import * as declared from '../../../interface/configuration/configuration.ts';
import { changeConfiguration, isAdministrator } from './configuration-change.ts';
import type { ConfigurationChanger } from './configuration-change.ts';

interface ConfigurationRouteParts {
  readonly configuration: Pick<
    ConfigurationStore,
    'show' | 'showSnapshot' | 'listSnapshots' | 'describe' | 'getDocumentOf' | 'refuseUnconfirmedTokenTrust'
  >;
  readonly applier: ConfigurationChanger;
  readonly clock: SliceClock & Pick<Clock, 'epochMs'>;
}

/** Creates the endpoints of the managed configuration. Secrets can be written through them, never read. */
export function createConfigurationRoutes(parts: ConfigurationRouteParts): readonly Route[] {
  return [
    ...createDocumentRoutes(parts),
    ...createPendingRoutes(parts),
    ...createSnapshotRoutes(parts),
    ...createSectionRoutes(parts),
    ...createItemRoutes(parts),
  ];
}

function createDocumentRoutes({ configuration, applier, clock }: ConfigurationRouteParts): readonly Route[] {
  return [
    implement(declared.readConfiguration, async () =>
      showPart(await configuration.show(), clock, (whole) => whole),
    ),
    implement(declared.replaceConfiguration, (call) =>
      changeConfiguration(applier, call, () => () => call.body),
    ),
    implement(declared.readOutline, async () =>
      showPart(await configuration.show(edit.outlineDocument), clock, edit.outlineDocument),
    ),
    implement(declared.readConfigurationSchema, () => {
      const schema = configuration.describe();
      return ok(schema, { ETag: digestEntityTag(schema) });
    }),
  ];
}

function createPendingRoutes({ configuration, applier, clock }: ConfigurationRouteParts): readonly Route[] {
  // The change that was checked, and no later one.
  const findExpected = async (
    call: CallOf<typeof declared.confirmChange | typeof declared.revertPendingChange>,
  ): Promise<number | undefined> =>
    isAdministrator(call)
      ? call.query.snapshot
      : configuration.refuseUnconfirmedTokenTrust(call.query.snapshot);
  return [
    implement(declared.confirmChange, async (call) => {
      call.auditAnnotation = { details: [{ confirmed: true }] };
      applier.confirm(await findExpected(call));
      return noContent();
    }),
    implement(declared.readPendingChange, () => {
      const found = applier.findPending();
      if (found === undefined) return ok({});
      const { snapshotId: snapshot, secondsLeft, ...others } = found;
      const revertAt = clock.epochMs() + secondsLeft * 1000;
      return ok({ pending: { snapshot, ...others, secondsLeft, revertAt } });
    }),
    implement(declared.revertPendingChange, async (call) => {
      call.auditAnnotation = { details: [{ takenBack: true }] };
      const snapshot = await applier.revertPending(await findExpected(call));
      call.auditAnnotation = { details: [{ takenBack: true, snapshot }] };
      return ok({ snapshot }, { ETag: formatEntityTag(snapshot) });
    }),
  ];
}

function createSnapshotRoutes({ configuration, applier, clock }: ConfigurationRouteParts): readonly Route[] {
  return [
    implement(declared.listSnapshots, () => {
      const snapshots = configuration.listSnapshots();
      return ok({
        snapshots: snapshots.map(({ id, createdAtMs: createdAt, author }) => ({ id, createdAt, author })),
      });
    }),
    implement(declared.readSnapshot, async ({ parameters }) => {
      const shown = await configuration.showSnapshot(readNumber(parameters));
      const { id, createdAtMs: createdAt, author, document } = shown;
      return okInSlices({ id, createdAt, author, document }, clock);
    }),
    implement(declared.rollBack, (call) =>
      changeConfiguration(applier, call, () => {
        const number = readNumber(call.parameters);
        return () => configuration.getDocumentOf(number);
      }),
    ),
  ];
}

function createSectionRoutes({ configuration, applier, clock }: ConfigurationRouteParts): readonly Route[] {
  return [
    implement(declared.readSection, async ({ parameters }) => {
      const section = edit.parseSectionName(parameters.section);
      return showPart(
        await configuration.show((document) => edit.pickSection(document, section)),
        clock,
        (document) => edit.getSection(document, section),
      );
    }),
    implement(declared.replaceSection, (call) =>
      changeConfiguration(applier, call, () => {
        const section = edit.parseSectionName(call.parameters.section);
        return (document) => edit.putSection(document, section, call.body);
      }),
    ),
    implement(declared.resetSection, (call) =>
      changeConfiguration(applier, call, () => {
        const section = edit.parseSectionName(call.parameters.section);
        return (document) => edit.removeSection(document, section);
      }),
    ),
  ];
}

function createItemRoutes({ configuration, applier, clock }: ConfigurationRouteParts): readonly Route[] {
  const positionOf = ({ section, pid }: { readonly section: string; readonly pid: string }) =>
    [edit.parseSectionName(section), pid] as const;
  return [
    implement(declared.readItem, async ({ parameters }) => {
      const position = positionOf(parameters);
      return showPart(
        await configuration.show((document) => edit.pickItem(document, ...position)),
        clock,
        (document) => edit.getItem(document, ...position),
      );
    }),
    implement(declared.replaceItem, (call) =>
      changeConfiguration(applier, call, () => {
        const position = positionOf(call.parameters);
        return (document) => edit.putItem(document, ...position, call.body);
      }),
    ),
    implement(declared.removeItem, (call) =>
      changeConfiguration(applier, call, () => {
        const position = positionOf(call.parameters);
        return (document) => edit.removeItem(document, ...position);
      }),
    ),
  ];
}

/** Returns the active configuration, or a part of it; the entity tag is that of the whole. */
function showPart<T>(
  { id, document }: Snapshot,
  clock: ConfigurationRouteParts['clock'],
  select: (document: ManagedDocument) => T,
): Promise<Answer<T>> {
  return okInSlices(select(document), clock, { ETag: formatEntityTag(id) });
}

function readNumber({ id = '' }: Readonly<Record<string, string>>): number {
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new NotFound({ code: 'SNAPSHOT_UNKNOWN', detail: 'unknown snapshot' });
}

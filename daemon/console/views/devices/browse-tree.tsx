import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { BrowsePage, BrowsedNode, browseDevice } from '../../../interface/plant/browsing.ts';
import { LongName } from '../../parts/long-name.tsx';
import { translateFault } from '../../parts/gateway-words.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';

interface BrowseTreeProps {
  readonly pid: string;
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (node: BrowsedNode) => void;
}

interface BranchProps extends BrowseTreeProps {
  /** Undefined for the server's root objects. */
  readonly node: string | undefined;
}

/** Nodes of a server; each branch is loaded when opened. */
export function BrowseTree(props: BrowseTreeProps): JSX.Element {
  return (
    <div class="browse-tree">
      <Branch {...props} node={undefined} />
    </div>
  );
}

function Branch({ pid, node, chosen, onToggle }: BranchProps): JSX.Element {
  const { rest } = useConsole();
  const [more, setMore] = useState<readonly BrowsePage[]>([]);
  const [failure, setFailure] = useState<unknown>(undefined);
  const load = (from: number, abort?: AbortSignal): Promise<BrowsePage> => {
    const query = new URLSearchParams({ from: String(from), ...(node === undefined ? {} : { node }) });
    const target = `/services/drivers/v1/${encodeURIComponent(pid)}/_browse?${query.toString()}` as const;
    return rest.call<typeof browseDevice>('GET', target, { abort });
  };
  const { value, error, reload } = useResource(node ?? 'objects', (abort) => load(0, abort));
  const pages = value === undefined ? [] : [value, ...more];
  const next = pages.at(-1)?.next;
  const nodes = pages.flatMap((page) => page.nodes);
  const loadMore = async (from: number): Promise<void> => {
    setFailure(undefined);
    try {
      const page = await load(from);
      setMore((before) => [...before, page]);
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value !== undefined && nodes.length === 0 ? (
        <p class="soft">{fill(DEVICES.nothingBelow)}</p>
      ) : undefined}
      <ul>
        {nodes.map((each) => (
          <li key={`${each.reference} ${each.node ?? each.browseName}`}>
            <NodeLine pid={pid} node={each} chosen={chosen} onToggle={onToggle} />
          </li>
        ))}
      </ul>
      {failure === undefined ? undefined : <FailureNotice error={failure} />}
      {next === undefined ? undefined : (
        <button type="button" onClick={() => void loadMore(next)}>
          {fill(DEVICES.more)}
        </button>
      )}
    </>
  );
}

interface NodeLineProps extends BrowseTreeProps {
  readonly node: BrowsedNode;
}

function NodeLine({ pid, node, chosen, onToggle }: NodeLineProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { node: id, displayName, browseName, isParent, variable } = node;
  const name = displayName === '' ? browseName : displayName;
  const words = (
    <>
      <LongName text={name} /> <Kind node={node} />
    </>
  );
  return (
    <>
      {isParent && id !== undefined ? (
        <button class="plain branch" type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> <LongName text={name} />
        </button>
      ) : undefined}
      {variable?.channel === undefined || id === undefined ? (
        isParent ? undefined : (
          <span>{words}</span>
        )
      ) : (
        <label class="choice">
          <input type="checkbox" checked={chosen.has(id)} onChange={() => onToggle(node)} /> {words}
        </label>
      )}
      {isOpen ? <Branch pid={pid} node={id} chosen={chosen} onToggle={onToggle} /> : undefined}
    </>
  );
}

function Kind({ node: { nodeClass, variable } }: { readonly node: BrowsedNode }): JSX.Element {
  if (variable === undefined) return <span class="faint">{nodeClass}</span>;
  const { dataType, unit = '', channel, refusal: message, refusalReasons: reasons } = variable;
  return (
    <>
      <span class="faint">
        {[dataType, unit, channel?.type ?? ''].filter((part) => part !== '').join(' ')}
      </span>
      {message === undefined ? undefined : <span class="soft"> {translateFault({ message, reasons })}</span>}
    </>
  );
}

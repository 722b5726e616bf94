import * as opcua from 'node-opcua';

/** How a server answers those who browse it. */
export type HostileBrowse = 'endless' | 'empty' | 'other' | 'none' | 'huge' | 'elsewhere';

const POINT = Buffer.from('more');

/** Has a server answer Browse and BrowseNext in a way that no server should. */
export function answerBrowses(server: opcua.OPCUAServer, how: HostileBrowse): void {
  let answers = 0;
  const answer = (message: opcua.Message, channel: opcua.ServerSecureChannelLayer): void => {
    answers += 1;
    const isNext = message.request instanceof opcua.BrowseNextRequest;
    const Response = isNext ? opcua.BrowseNextResponse : opcua.BrowseResponse;
    const send = (response: opcua.Response): void => channel.send_response('MSG', response, message);
    const list = (references: readonly opcua.ReferenceDescription[], isMore: boolean): void =>
      send(
        new Response({
          results: [
            new opcua.BrowseResult({
              references: [...references],
              ...(isMore ? { continuationPoint: POINT } : {}),
            }),
          ],
        }),
      );
    if (how === 'endless') list([makeReference(`endless.${answers}`)], true);
    if (how === 'empty') list([], true);
    if (how === 'other') send(new opcua.ReadResponse({ results: [] }));
    if (how === 'none') send(new Response({ results: [] }));
    if (how === 'huge') {
      list(
        Array.from({ length: 20_000 }, (_, index) => makeReference(`huge.${index}`)),
        false,
      );
    }
    if (how === 'elsewhere') {
      const nodeId = new opcua.ExpandedNodeId(opcua.NodeId.NodeIdType.STRING, 'far', 1, null, 3);
      const number = new opcua.ExpandedNodeId(opcua.NodeId.NodeIdType.STRING, 'new', 999, null, 0);
      list([makeReference('far', { nodeId }), makeReference('new', { nodeId: number })], false);
    }
  };
  Object.assign(server, { _on_BrowseRequest: answer, _on_BrowseNextRequest: answer });
}

function makeReference(name: string, more: object = {}): opcua.ReferenceDescription {
  return new opcua.ReferenceDescription({
    referenceTypeId: opcua.resolveNodeId('Organizes'),
    isForward: true,
    nodeId: opcua.coerceExpandedNodeId(`ns=1;s=${name}`),
    browseName: { name },
    displayName: { text: name },
    ...more,
  });
}

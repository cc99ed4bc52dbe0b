import { BasicCrawler, Configuration, log, RequestList } from '@crawlee/basic';
import { asSide } from '../support/as-side.ts';
import { bareVisitor, type PeerInput } from '../support/bare-undici.ts';

/** The peer: the same bare visits, scheduled by Crawlee from a list in memory, with the settings that we use. */
await asSide(async (input: PeerInput) => {
  const visit = bareVisitor(input);
  log.setLevel(log.LEVELS.OFF);
  const configuration = new Configuration({ persistStorage: false, systemInfoV2: true, purgeOnStart: false });
  const sources = input.domains.map((domain) => ({ url: `https://${domain}/`, uniqueKey: domain }));
  const crawler = new BasicCrawler(
    {
      requestList: await RequestList.open(null, sources),
      requestHandler: ({ request }: { request: { uniqueKey: string } }) => visit(request.uniqueKey),
      minConcurrency: input.concurrency,
      maxConcurrency: input.concurrency,
      maxRequestRetries: 0,
      requestHandlerTimeoutSecs: 3_600,
      useSessionPool: false,
      statusMessageLoggingInterval: 86_400,
      autoscaledPoolOptions: {
        maybeRunIntervalSecs: 0.05,
        loggingIntervalSecs: null,
        autoscaleIntervalSecs: 3_600,
      },
      statisticsOptions: { logIntervalSecs: 86_400 },
    },
    configuration,
  );
  await crawler.run();
});

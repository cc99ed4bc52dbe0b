import { mkdtempSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startPublisherWeb } from './support/publisher-web.ts';
import { startCommand } from './support/registry.ts';
const web = await startPublisherWeb({ domains: 1000, agents: 40, delayMs: 25 });
const dir = mkdtempSync('/tmp/zz-');
writeFileSync(`${dir}/d.txt`, web.domains.join('\n'));
for (let i = 0; i < 3; i++) {
  const c = startCommand(['crawl','--from',`${dir}/d.txt`,'--store',`sqlite:${dir}/a${process.argv[2]==='again'?'':i}.sqlite`,'--depth','0','--progress','none',...web.flags,'--concurrency','16','--log-level','warn'],{REGISTRY_PROBE_CONCURRENCY:'4'});
  const t0=performance.now();
  let last=0; const iv=setInterval(()=>{const n=web.count(); if(n!==last) console.log(i, Math.round(performance.now()-t0), n-last); last=n;},25);
  while(web.count()===0) await pause(5);
  web.seen(); last=0;
  await pause(500); clearInterval(iv); await c.end('SIGKILL');
  web.seen();
}
await web.close();
process.exit(0)

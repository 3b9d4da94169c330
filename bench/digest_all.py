"""Draws all digests of a project, one after the other, with no curator between them.

Prints processor time of that, peak memory and the marker facts that were shown.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import resource
import sys
import time

from memd import distill, runtime, survey
from memd.distill import Job
from memd.marks import Request
from memd.state.ledger import Ledger


def main(root: str) -> None:
    rt = runtime.build(os.environ)
    project = rt.project(root)
    job = Job(rt, project, os.path.join(root, ".memory"), rt.owners(), rt.redactor())
    ledger = Ledger(root=root)
    facts: set[str] = set()
    passes = 0
    begun = time.process_time()
    looked = survey.take(rt, [project])
    complete = False
    while not complete:
        refs = survey.due(rt, project, job.owners, ledger, Request(), looked)
        digest = distill.draw(job, ledger, refs, cap=rt.config.digest_cap_chars)
        facts.update(re.findall(r"FACT-[0-9a-gx]+-\d+", digest.text))
        ledger = dataclasses.replace(
            ledger.with_seen(digest.seen, rt.today), cursors={**ledger.cursors, **digest.cursors}
        )
        complete = digest.complete
        passes += 1
    cpu = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu, "peak": peak, "passes": passes, "facts": sorted(facts)}))


main(sys.argv[1])

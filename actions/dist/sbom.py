#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An SPDX 2.3 document of what lies in a release's archive.

    sbom.py SHIPPED STAGE NAME VERSION     SHIPPED: lines "soname|package|version|licence|WHERE": a file in the archive, or "in FILE"
"""
import datetime
import hashlib
import json
import os
import sys
import urllib.parse

# What is not a package of the system's.
BUILT = {"flamegate": None, "curl": "pkg:deb/debian/curl@{}?arch=source", "libgit2": "pkg:github/libgit2/libgit2@v{}"}


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def package(number, source, library, version, licence, path, stage):
    where = BUILT.get(source, f"pkg:deb/debian/{source}@{{}}")
    entry = {
        "SPDXID": f"SPDXRef-Package-{number}",
        "name": f"{source} ({library})" if library else source,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "comment": path,
    }
    if where:
        locator = where.format(urllib.parse.quote(version, safe=""))
        entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]
    if not path.startswith("in "):
        entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256(os.path.join(stage, path))}]
    return entry


def main():
    shipped, stage, name, version = sys.argv[1:]
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    packages = [package(0, "flamegate", None, version, "Apache-2.0", "lib/flamegate/flamegate", stage)]
    with open(shipped, encoding="utf-8") as lines:
        for line in lines:
            soname, source, of_version, licence, path = line.rstrip("\n").split("|")
            packages.append(package(len(packages), source, soname, of_version, licence, path, stage))
    refs = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-Package-0"}]
    refs += [{"spdxElementId": "SPDXRef-Package-0", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": one["SPDXID"]}
             for one in packages[1:]]
    content = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{content[:32]}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: flamegate actions/dist/sbom.py"]},
        "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-xz-public-domain",
                                        "extractedText": "liblzma is in the public domain."}],
        "packages": packages,
        "relationships": refs,
    }, sys.stdout, indent=1, sort_keys=True)
    print()


main()

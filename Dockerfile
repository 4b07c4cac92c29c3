# Shoal as a container: small, for a user without rights, with compiled kernels in it; it needs no network.
#   docker build -t shoal .
#   docker run --rm --network none -v "$PWD:/data" shoal run policy.toml
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml build_wheel.py README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/shoal && /opt/shoal/bin/pip install --no-cache-dir ".[db,excel]"

FROM python:3.12-slim
COPY --from=build /opt/shoal /opt/shoal
ENV PATH=/opt/shoal/bin:$PATH SHOAL_CACHE=/opt/kernels PYTHONDONTWRITEBYTECODE=1
RUN useradd --create-home --uid 10001 shoal && mkdir /opt/kernels /data && chown shoal /opt/kernels /data
USER shoal
# The tour compiles what most runs use.
RUN shoal demo /tmp/tour --json > /dev/null && rm -r /tmp/tour
WORKDIR /data
ENTRYPOINT ["shoal"]
CMD ["--help"]

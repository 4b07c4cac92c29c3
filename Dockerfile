# Shoal as a container: small, for a user without rights, with compiled kernels in it; it needs no network.
#   docker build -t shoal .
#   docker run --rm --network none -v "$PWD:/data" shoal run policy.toml
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml build_wheel.py README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/shoal && /opt/shoal/bin/pip install --no-cache-dir ".[db,excel]"
# Kernels come compiled for a common processor, as in wheels; what is missing is compiled when it is needed.
RUN if [ "$(uname -m)" = x86_64 ]; then cpu=x86-64-v3; else cpu=generic; fi \
    && NUMBA_CPU_NAME=$cpu NUMBA_CPU_FEATURES= SHOAL_CACHE=/compiled /opt/shoal/bin/shoal warm-up \
    && SHOAL_COMPILED=/compiled/kernels /opt/shoal/bin/pip install --no-cache-dir --no-deps --force-reinstall .

FROM python:3.12-slim
COPY --from=build /opt/shoal /opt/shoal
ENV PATH=/opt/shoal/bin:$PATH SHOAL_CACHE=/opt/kernels PYTHONDONTWRITEBYTECODE=1
RUN useradd --create-home --uid 10001 shoal && mkdir /opt/kernels /data && chown shoal /opt/kernels /data
USER shoal
WORKDIR /data
ENTRYPOINT ["shoal"]
CMD ["--help"]
